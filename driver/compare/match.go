package compare

// match pairs the measurements of two sets: by id, then by name with parameters, in order where a name occurs several
// times. Measurements that are left over stand alone.
func match(before, after *Set) []Row {
	taken := make([]bool, len(before.Measurements))
	partner := make([]int, len(after.Measurements))
	for i := range partner {
		partner[i] = -1
	}
	pair := func(key func(*Measurement) string) {
		byKey := map[string][]int{}
		for i := range before.Measurements {
			if k := key(&before.Measurements[i]); k != "" && !taken[i] {
				byKey[k] = append(byKey[k], i)
			}
		}
		for i := range after.Measurements {
			k := key(&after.Measurements[i])
			if list := byKey[k]; partner[i] < 0 && k != "" && len(list) > 0 {
				partner[i], byKey[k] = list[0], list[1:]
				taken[list[0]] = true
			}
		}
	}
	pair(func(m *Measurement) string { return m.ID })
	pair(func(m *Measurement) string { return m.Name + "\x00" + m.Parameters })
	rows := make([]Row, 0, len(after.Measurements))
	for i := range after.Measurements {
		row := Row{Name: after.Measurements[i].Name, New: &after.Measurements[i]}
		if partner[i] >= 0 {
			row.Old = &before.Measurements[partner[i]]
		}
		rows = append(rows, row)
	}
	for i := range before.Measurements {
		if !taken[i] {
			rows = append(rows, Row{Name: before.Measurements[i].Name, Old: &before.Measurements[i]})
		}
	}
	return rows
}
