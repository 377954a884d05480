package doctor

import "fmt"

// hugePages finds whether the kernel makes huge pages of ordinary ones when it likes.
func hugePages(s system, _ *watched) []Finding {
	const name = "sys/kernel/mm/transparent_hugepage/enabled"
	f := Finding{Subject: "huge pages", Evidence: s.quote(name)}
	switch setting := chosen(s.text(name)); setting {
	case "":
		f.Grade, f.Found, f.Evidence = Unknown, "the system does not tell", "there is no /"+name
	case "always":
		f.Grade, f.Found = MayMove, "always: the kernel chooses which arrays get huge pages, and launches may differ by it"
		f.Remedy = "echo madvise > /" + name + ", or back the arrays of all launches by them: --huge-pages"
	default:
		f.Grade, f.Found = Good, setting+": only programs that ask for huge pages get them"
	}
	return []Finding{f}
}

// addressLayout finds whether launches have layouts of their own.
func addressLayout(s system, _ *watched) []Finding {
	const name = "proc/sys/kernel/randomize_va_space"
	f := Finding{Subject: "address layout", Evidence: s.quote(name)}
	switch level, known := s.number(name); {
	case !known:
		f.Grade, f.Found = Unknown, "the system does not tell"
	case level < 2:
		f.Grade, f.Found = Disturbs, fmt.Sprintf("not random (level %d): launches share one layout, and intervals do not "+
			"show what another one would cost", level)
		f.Remedy = "sysctl kernel.randomize_va_space=2"
	default:
		f.Grade, f.Found = Good, "random: launches show what the layout does to times"
	}
	return []Finding{f}
}
