package reportpage

import (
	"bytes"
	"encoding/json"
	"html"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// TestBrowser shows pages in Chromium. One serves all, since its start takes longer than what is looked at.
func TestBrowser(t *testing.T) {
	b := newBrowser(t)
	t.Run("Screenshots", func(t *testing.T) { testScreenshots(t, b) })
	t.Run("Use", func(t *testing.T) { testUse(t, b) })
}

func pageFile(t *testing.T, page string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// testScreenshots: pages have something on them, in light and dark, wide and narrow, with a row open.
func testScreenshots(t *testing.T, b *browser) {
	one := exampleRun()
	one.Records, one.Rankings = invocations.RecordsOf(*recordstest.At(t, one.Records, 1)), nil // its row is open
	all := pageFile(t, written(t, Source{Journal: "example.ndjson", Run: exampleRun()}))
	single := pageFile(t, written(t, Source{Journal: "example.ndjson", Run: one}))
	for _, c := range []struct {
		name, page string
		width      int
	}{
		{"light", all, 1200},
		{"dark", single, 1200},
		{"narrow", single, 400},
	} {
		var picture []byte
		b.open(t, c.page, look{width: c.width, height: 1800, dark: c.name == "dark", picture: &picture})
		shown, err := png.Decode(bytes.NewReader(picture))
		if err != nil {
			t.Fatal(err)
		}
		if shown.Bounds().Dx() != c.width {
			t.Errorf("%s: %d pixels wide", c.name, shown.Bounds().Dx())
		}
		colours := map[[3]uint32]bool{}
		red, _, _, _ := shown.At(2, 2).RGBA()
		for y := 0; y < shown.Bounds().Dy(); y += 2 {
			for x := 0; x < shown.Bounds().Dx(); x += 2 {
				r, g, b, _ := shown.At(x, y).RGBA()
				colours[[3]uint32{r >> 8, g >> 8, b >> 8}] = true
			}
		}
		if len(colours) < 100 {
			t.Errorf("%s: %d colours: nothing is drawn", c.name, len(colours))
		}
		if dark := red < 1<<15; dark != (c.name == "dark") {
			t.Errorf("%s: the background is %x", c.name, red)
		}
	}
}

// use is a script that uses a page as a reader does, and leaves what came of it in the page.
const use = `(() => {
  const table = document.getElementById("results"), heads = [...table.tHead.rows[0].cells];
  const outside = (e) => !e.closest(".wide") && e.getBoundingClientRect().right > innerWidth;
  const beyond = () => document.documentElement.scrollWidth <= innerWidth ? "" :
    [...document.querySelectorAll("body *")].filter(outside).map((e) => e.outerHTML.slice(0, 200)).join("\n");
  const out = {wide: beyond(), scrolls: table.scrollWidth - table.parentElement.clientWidth, sorted: {}};
  const input = (id, value) => {
    const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event("input"));
    const shown = document.getElementById("shown").textContent;
    e.value = ""; e.dispatchEvent(new Event("input"));
    return shown;
  };
  for (const b of table.querySelectorAll("td > button")) b.click();
  const timeline = table.querySelector("svg.timeline");
  if (timeline) {
    const zones = () => timeline.querySelectorAll("rect.zone").length, press = (key) =>
      timeline.dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true}));
    const shown = () => timeline.parentElement.querySelector("[role=status]").textContent;
    const steps = [shown(), zones()];
    press("+"); press("+"); steps.push(shown(), zones());
    for (let i = 0; i < 9; i++) press("ArrowRight");
    steps.push(shown());
    const box = timeline.getBoundingClientRect();
    const at = {ctrlKey: true, cancelable: true, clientX: box.left + box.width / 2};
    timeline.dispatchEvent(new WheelEvent("wheel", {deltaY: 200, ...at})); steps.push(shown());
    press("0"); steps.push(shown());
    timeline.dispatchEvent(new WheelEvent("wheel", {deltaY: -200, clientX: at.clientX})); steps.push(shown());
    out.timeline = steps.map(String);
  }
  out.drawings = table.querySelectorAll("figure svg").length;
  out.apart = table.querySelectorAll("path.set").length;
  out.broken = (table.outerHTML.match(/NaN|undefined|Infinity/g) || []).length;
  out.dispatches = [...table.tBodies].map((b) => b.querySelectorAll("td.barred").length);
  out.wideOpen = beyond();
  out.cut = [...table.querySelectorAll("tr.open table td")].filter((e) => e.getBoundingClientRect().right > innerWidth).length;
  out.tools = getComputedStyle(document.querySelector(".tools")).display !== "none";
  for (const h of heads) {
    h.querySelector("button").click(); h.querySelector("button").click();
    out.sorted[h.textContent] = [...table.tBodies].map((b) => b.rows[0].cells[0].textContent);
  }
  out.filtered = input("filter", "PRODUCT/");
  out.chosen = input("choice", "bimodal");
  out.all = document.getElementById("shown").textContent;
  for (const b of table.querySelectorAll("td > button")) b.click();
  out.closed = document.querySelectorAll("tr.open").length;
  out.title = document.title;
  const pre = document.createElement("pre");
  pre.id = "outcome"; pre.textContent = JSON.stringify(out); document.body.append(pre);
})();`

type outcome struct {
	Wide, WideOpen        string // elements that are beyond the window
	Scrolls               int    // by how many pixels the table is wider than its room
	Cut                   int    // cells of open rows that are beyond the window, in a table that scrolls
	Tools                 bool   // to choose rows
	Drawings, Broken      int
	Apart                 int // drawings with batches that were set apart
	Dispatches            []int
	Sorted                map[string][]string
	Filtered, Chosen, All string
	Closed                int
	Title                 string
	Timeline              []string // what it shows at first and after each way of zooming, with numbers of zones
}

// used returns what came of using a page at this width.
func used(t *testing.T, b *browser, source Source, width int) outcome {
	t.Helper()
	page := written(t, source)
	page = strings.Replace(page, ownScript+"</script>", ownScript+use+"</script>", 1)
	page = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(page, "")
	dom := b.open(t, pageFile(t, page), look{width: width, height: 900})
	m := regexp.MustCompile(`(?s)<pre id="outcome">(.*?)</pre>`).FindStringSubmatch(dom)
	if m == nil {
		t.Fatalf("the script did not come to its end:\n%.2000s", dom)
	}
	var o outcome
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// testUse: rows can be opened, sorted and chosen, and hostile texts do nothing.
func testUse(t *testing.T, b *browser) {
	run := exampleRun()
	for _, width := range []int{1200, 400} {
		o := used(t, b, Source{Journal: "example.ndjson", Run: run}, width)
		if o.Wide+o.WideOpen != "" {
			t.Errorf("at %d pixels the page is wider than its window:\n%s\nwith open rows:\n%s", width, o.Wide, o.WideOpen)
		}
		if o.Cut != 0 || !o.Tools {
			t.Errorf("at %d pixels %d cells of open rows are cut off; tools are shown: %v", width, o.Cut, o.Tools)
		}
		if o.Drawings != 2*14+2*2 || o.Apart != 14 || o.Broken != 0 || o.Closed != 0 {
			t.Errorf("%d drawings of 14 timed results, %d with batches apart, %d of them broken; %d rows open", o.Drawings,
				o.Apart, o.Broken, o.Closed)
		}
		if got := slices.DeleteFunc(o.Dispatches, func(n int) bool { return n == 0 }); !slices.Equal(got, []int{4, 32}) {
			t.Errorf("rows of dispatches: %v", got)
		}
		by := o.Sorted["median"]
		if !strings.HasSuffix(by[0], "2") || by[2] != "naive/n=128" || !strings.HasPrefix(by[20], "ended") {
			t.Errorf("sorted by median, the slowest first: %q", by)
		}
		if by := o.Sorted["verdict"]; !strings.HasPrefix(by[0], "ended") {
			t.Errorf("sorted by verdict, downwards: %q", by)
		}
		if o.Filtered != "6 of 21" || o.Chosen != "1 of 21" || o.All != "21 of 21" {
			t.Errorf("chosen: %q, %q, %q", o.Filtered, o.Chosen, o.All)
		}
		if z := o.Timeline; len(z) != 8 || z[2] == z[0] || z[3] >= z[1] || z[4] == z[2] || z[5] == z[4] || z[6] != z[0] ||
			z[7] != z[0] {
			t.Errorf("the timeline shows %q", o.Timeline)
		}
		if o.Title != "example.ndjson — 2026-01-02" {
			t.Errorf("the title became %q", o.Title)
		}
	}
	named := pageFile(t, written(t, Source{Run: run})) + "#id-0000000000000001"
	if dom := b.open(t, named, look{width: 800, height: 600}); strings.Count(dom, `aria-expanded="true"`) != 1 {
		t.Error("the row that the address names is not open")
	}
	short := exampleRun()
	short.Records, short.Rankings = invocations.RecordsOf(working("short", 1e5), working("names", 1e5)), nil
	if o := used(t, b, Source{Run: short}, 1200); o.Scrolls > 0 {
		t.Errorf("a table of short names is %d pixels wider than its room", o.Scrolls)
	}
	none := exampleRun()
	none.Records = invocations.RecordsOf(*recordstest.At(t, none.Records, 0))
	none.Rankings = nil
	if o := used(t, b, Source{Run: none}, 800); o.Drawings != 0 || o.Tools { // the only row was open, and the script closed it
		t.Errorf("%d drawings; tools to choose among one row: %v", o.Drawings, o.Tools)
	}
}
