package main

import (
	"archive/zip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/driver/halide/adams2019"
)

// contests returns the real batch of an archive, and made-up samples that are like it.
func contests(archive, folder string) ([]contest, error) {
	real, err := unpack(archive)
	if err != nil {
		return nil, err
	}
	all := []contest{
		{name: "1 pipeline, 32 samples, 32 epochs", epochs: 32, may: 1e-6},
		{name: "1 pipeline, 32 samples, 200 epochs", epochs: 200, may: 1e-6},
		{name: "8 pipelines, 32 samples each, 100 epochs", epochs: 100, may: 1e-5},
		{name: "1 pipeline, 1000 samples, 32 epochs", epochs: 32, may: 1e-5},
	}
	sets := [][]adams2019.Sample{real, real, likewise(real, 8, 32), likewise(real, 1, 1000)}
	for i := range all {
		for j, s := range sets[i] {
			path := filepath.Join(folder, fmt.Sprintf("set%d-%04d.sample", i, j))
			if err := s.Write(path); err != nil {
				return nil, err
			}
			all[i].paths = append(all[i].paths, path)
		}
	}
	return all, nil
}

func unpack(archive string) ([]adams2019.Sample, error) {
	opened, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	var samples []adams2019.Sample
	for _, f := range opened.File {
		if !strings.HasSuffix(f.Name, ".sample") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		s, err := adams2019.ParseSample(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", archive, f.Name, err)
		}
		samples = append(samples, s)
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("%s: %w", archive, os.ErrNotExist)
	}
	return samples, nil
}

// likewise varies real samples, so that there are as many pipelines and schedules of each as wanted.
func likewise(real []adams2019.Sample, pipelines, schedules int) []adams2019.Sample {
	r := rand.New(rand.NewPCG(1, 2))
	var out []adams2019.Sample
	for p := range pipelines {
		for i := range schedules {
			s := real[r.IntN(len(real))]
			s.Features = slices.Clone(s.Features)
			for stage := range s.Features {
				s.Features[stage].Pipeline[3] += float32(p)
				for j, v := range s.Features[stage].Schedule {
					if v > 1 && r.IntN(3) == 0 {
						s.Features[stage].Schedule[j] = v * float32(int(1)<<r.IntN(3))
					}
				}
			}
			s.RuntimeMS *= 0.5 + r.Float32()
			s.PipelineID, s.ScheduleID = int32(1000+p), int32(i)
			out = append(out, s)
		}
	}
	return out
}
