package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"zonemark/driver/journal/shortlines"
	"zonemark/driver/jsonshape"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// lineIndex tells where the results of a journal are that stay in the file. A resumed run needs the ids of all of them
// before it measures, and the rest when it reports.
type lineIndex struct {
	lines   []indexedLine
	commons []invocations.Common
	latest  map[int]int32 // positions in commons, by number
}

// indexedLine is the line of a result.
type indexedLine struct {
	offset int64
	length int64 // without the line end; 0: the result is not kept. Lines of a thousand launches once had a gigabyte
	common int32 // position in commons, from 1; 0: the line is whole
}

// set puts the line of a result at an offset in a place, which is at most one behind the last.
func (x *lineIndex) set(place int32, offset int64, line textLine, keep bool) {
	at := indexedLine{offset: offset}
	if keep {
		at.length = int64(len(line.text) - len("\n"))
	}
	if n := line.head.common; n != 0 {
		at.common = x.latest[n] + 1
	}
	if int(place) == len(x.lines) {
		x.lines = append(x.lines, at)
		return
	}
	x.lines[place] = at
}

// addCommon adds what results behind it have in common.
func (x *lineIndex) addCommon(c invocations.Common) {
	if x.latest == nil {
		x.latest = map[int]int32{}
	}
	x.latest[c.Number] = int32(len(x.commons))
	x.commons = append(x.commons, c)
}

// records returns the results as a list that reads each from the file when it is asked for. The file stays open as long
// as the list is in use.
func (x *lineIndex) records(path string, f files.File) invocations.Records {
	x.lines = slices.DeleteFunc(x.lines, func(at indexedLine) bool { return at.length == 0 })
	shape := jsonshape.Of[shortlines.Line]()
	return invocations.StoredRecords(len(x.lines), func(place int, brief bool) (*invocations.Record, error) {
		at := x.lines[place]
		text := make([]byte, at.length)
		if _, err := f.ReadAt(text, at.offset); err != nil {
			return nil, fmt.Errorf("journal %s: reading a result again: %w; what is written is valid: continue it with "+
				"--resume, when the disk works", path, err)
		}
		if brief {
			text = briefLine(shape, text)
		}
		var short shortlines.Line
		err := json.Unmarshal(text, &short)
		if err == nil && (short.ID == "" || short.Status == "") {
			err = errors.New("a result without id or status")
		}
		if err != nil {
			return nil, fmt.Errorf("journal %s: byte %d: something has changed it while it was in use: %w", path, at.offset, err)
		}
		r := short.Own()
		if at.common > 0 {
			r = short.Whole(x.commons[at.common-1])
		}
		return &r, nil
	})
}
