package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"time"
)

var address = regexp.MustCompile(`at (http://\S+)`)

// page measures a page of a program that was just started.
func page(p *program, place, path string) (m measured, err error) {
	c := p.command("serve", "--ledger", place, "--labels", "none", "--listen", "127.0.0.1:0", "--time-limit", "60s")
	out, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return m, err
	}
	defer func() { // a profile is written at the end
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait() // an interrupted program has an exit code
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		found := address.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		go io.Copy(io.Discard, out)
		pid := c.Process.Pid
		read, cpu, start := bytesRead(pid), cpuOf(pid), time.Now()
		answer, err := http.Get(found[1] + path)
		if err != nil {
			return m, err
		}
		defer answer.Body.Close()
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return m, err
		}
		if answer.StatusCode != http.StatusOK {
			return m, fmt.Errorf("%s: %s", path, answer.Status)
		}
		return measured{took: time.Since(start), cpu: cpuOf(pid) - cpu, read: bytesRead(pid) - read}, nil
	}
	return m, errors.New("fees serve did not start")
}
