package remote

import (
	"context"
	"errors"
	"fmt"
	"io"

	"zonemark/invocations/files"
	"zonemark/invocations/wire"
)

// Source is a file that a host shall have.
type Source struct {
	wire.File
	Local string // its path here; a symbolic link needs none
}

// Pushed tells how far bringing files to a host has come, in bytes.
type Pushed struct{ Done, Total int64 }

// Push gives files their places on the host, and brings those that its store lacks. progress may be nil.
func (s *Session) Push(ctx context.Context, list []Source, progress func(Pushed)) error {
	s.files.Lock()
	defer s.files.Unlock()
	if len(list) == 0 {
		return nil
	}
	needs, err := s.offer(ctx, list)
	if err != nil || len(needs) == 0 {
		return err
	}
	byHash := map[string]*Source{}
	for i := range list {
		byHash[list[i].SHA256] = &list[i]
	}
	told := Pushed{}
	for _, sum := range needs {
		told.Total += byHash[sum].Bytes
	}
	for _, sum := range needs {
		if err := s.pushFile(ctx, byHash[sum], &told, progress); err != nil {
			return err
		}
	}
	if needs, err = s.offer(ctx, list); err == nil && len(needs) > 0 {
		err = fmt.Errorf("host %s does not keep what it was sent (%s)", s.Name, byHash[needs[0]].Local)
	}
	return err
}

// offer offers files and returns the hashes of those that are needed.
func (s *Session) offer(ctx context.Context, list []Source) ([]string, error) {
	m := &wire.Offer{Files: make([]wire.File, len(list))}
	for i := range list {
		m.Files[i] = list[i].File
	}
	s.asked.Store(true)
	if err := s.conn.Send(m); err != nil {
		return nil, s.lostBy(err)
	}
	select {
	case needs := <-s.needs:
		if needs.Error != "" {
			return nil, fmt.Errorf("host %s cannot keep the files that it needs: %s", s.Name, short(needs.Error))
		}
		if err := checkNeeds(needs.SHA256, list); err != nil {
			s.fail(err.Error())
			<-s.ended
			return nil, s.lost
		}
		return needs.SHA256, nil
	case <-s.ended:
		return nil, s.lost
	case <-ctx.Done():
		s.fail("interrupted") // its answer would be taken for that of the next offer
		return nil, ctx.Err()
	}
}

// pushFile sends a file in pieces.
func (s *Session) pushFile(ctx context.Context, from *Source, told *Pushed, progress func(Pushed)) error {
	f, err := files.Open(from.Local)
	if err != nil {
		return err
	}
	defer f.Close()
	buffer := make([]byte, chunk)
	for left := from.Bytes; ; {
		if ctx.Err() != nil {
			s.fail("interrupted") // half a file was sent
			return ctx.Err()
		}
		n, err := io.ReadFull(f, buffer[:min(left, chunk)])
		if err != nil && !errors.Is(err, io.EOF) {
			s.fail("half a file was sent")
			return fmt.Errorf("%s has changed while it was pushed: %w", from.Local, err)
		}
		left -= int64(n)
		if err := s.conn.Send(&wire.Piece{SHA256: from.SHA256, Bytes: buffer[:n], Last: left == 0}); err != nil {
			return s.lostBy(err)
		}
		if told.Done += int64(n); progress != nil {
			progress(*told)
		}
		if left == 0 {
			return nil
		}
	}
}
