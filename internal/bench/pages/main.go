// Command pages measures fees serve on existing ledgers. On one: the time of pages for one user, uncached and cached; times and
// memory with many concurrent users; and how soon an abandoned request stops. On several: many users, each with a ledger of
// theirs. It starts the program and uses HTTP.
package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	program := flag.String("fees", "fees", "fees program")
	place := flag.String("ledger", "fees.db", "ledger to use; several as A=PLACE,B=PLACE: only many users are measured")
	month := flag.String("month", "2025-03", "month in each ledger")
	runs := flag.Int("runs", 20, "requests of each page, each to a new program or for another day")
	users := flag.Int("users", 50, "concurrent users")
	pause := flag.Duration("pause", time.Second, "from one request of a user to the next")
	during := flag.Duration("for", 3*time.Minute, "how long the users send requests")
	flag.Parse()
	measured := func() error { return measure(*program, *place, *month, *runs, crowd{*users, *pause, *during}) }
	if ledgers := strings.Split(*place, ","); len(ledgers) > 1 {
		measured = func() error { return measureFirm(*program, ledgers, *month, crowd{*users, *pause, *during}) }
	}
	if err := measured(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// server is a running fees serve, with the address of one of its ledgers.
type server struct {
	command *exec.Cmd
	address string
}

// of returns the server with the address of a named ledger.
func (s server) of(name string) *server {
	s.address += "/" + name
	return &s
}

var address = regexp.MustCompile(`at (http://[^/\s]+)`)

func start(program string, ledgers ...string) (*server, error) {
	command := exec.Command(program, "serve", "--labels", "none", "--listen", "127.0.0.1:0", "--time-limit", "60s")
	for _, ledger := range ledgers {
		command.Args = append(command.Args, "--ledger", ledger)
	}
	out, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if found := address.FindStringSubmatch(lines.Text()); found != nil {
			go io.Copy(io.Discard, out)
			return &server{command, found[1]}, nil
		}
		fmt.Fprintln(os.Stderr, lines.Text())
	}
	return nil, errors.Join(errors.New("fees serve did not start"), command.Wait())
}

func (s *server) stop() error {
	if err := s.command.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return s.command.Wait()
}

// get requests a page and returns the time of the whole response.
func (s *server) get(ctx context.Context, path string) (took time.Duration, text []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+path, nil)
	if err != nil {
		return 0, nil, err
	}
	begin := time.Now()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	if text, err = io.ReadAll(answer.Body); err != nil {
		return 0, nil, err
	}
	if answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, answer.Status)
	}
	return time.Since(begin), text, err
}

// atOnce returns the times of several users who request a page at the same moment.
func (s *server) atOnce(path string, users int) ([]time.Duration, error) {
	list, errs := make([]time.Duration, users), make([]error, users)
	var all sync.WaitGroup
	for i := range users {
		all.Go(func() { list[i], _, errs[i] = s.get(context.Background(), path) })
	}
	all.Wait()
	return list, errors.Join(errs...)
}

// page is a kind of page with different addresses, so that none is cached yet.
type page struct {
	name string
	path func(i int) string
}

// measureFirm measures many users of several ledgers, each of whom uses one of them.
func measureFirm(program string, ledgers []string, month string, of crowd) error {
	s, err := start(program, ledgers...)
	if err != nil {
		return err
	}
	defer func() { _ = s.stop() }() // measuring is over
	var desks []desk
	for number, ledger := range ledgers {
		name, _, _ := strings.Cut(ledger, "=")
		own := s.of(name)
		list, err := pagesOf(own, month, func(int) int { return number % 14 }) // its users are in one
		if err != nil {
			return err
		}
		desks = append(desks, desk{own, list})
	}
	return many(desks, of)
}

func measure(program, place, month string, runs int, of crowd) error {
	s, err := start(program, place)
	if err != nil {
		return err
	}
	defer func() { _ = s.stop() }() // measuring is over
	list, err := pagesOf(s, month, func(i int) int { return i % 14 })
	if err != nil {
		return err
	}
	fmt.Printf("%-44s %10s %10s %10s %10s %22s\n", "page, ms", "median", "95 %", "longest", "cached, 95 %", "all at once, 95 %")
	for _, p := range list {
		var made, kept []time.Duration
		renew := func() (err error) {
			if strings.HasPrefix(p.name, "overview") { // it has one address, so each request needs a new server
				if err = s.stop(); err == nil {
					s, err = start(program, place)
				}
			}
			return err
		}
		for i := range runs {
			if err := renew(); err != nil {
				return err
			}
			took, _, err := s.get(context.Background(), p.path(i))
			if err != nil {
				return err
			}
			again, _, err := s.get(context.Background(), p.path(i))
			if err != nil {
				return err
			}
			made, kept = append(made, took), append(kept, again)
		}
		if err := renew(); err != nil {
			return err
		}
		first, err := s.atOnce(p.path(runs), of.users)
		if err != nil {
			return err
		}
		again, err := s.atOnce(p.path(runs), of.users)
		if err != nil {
			return err
		}
		fmt.Printf("%-44s %10.1f %10.1f %10.1f %10.1f %10.1f, then %5.1f\n", p.name, part(made, 50), part(made, 95), part(made, 100), part(kept, 95), part(first, 95), part(again, 95))
	}
	fmt.Printf("peak memory of one user %d MB\n", s.peak()>>20)
	if err := s.leave("/fees?by=account&status=succeeded&zone=Etc/GMT-3"); err != nil {
		return err
	}
	return many([]desk{{s, list}}, of)
}

// pagesOf returns the pages to measure: of a month of a ledger, with names and transactions that it has, in some time zones.
func pagesOf(s *server, month string, zone func(i int) int) ([]page, error) {
	busy, quiet, contract, err := namesOf(s, month)
	if err != nil {
		return nil, err
	}
	places, err := placesOf(s, month)
	if err != nil {
		return nil, err
	}
	day := func(i int) string { return fmt.Sprintf("%s-%02d", month, i%28+1) }
	days := func(i int) string { return fmt.Sprintf("%s-01..%s", month, day(i)) }
	return []page{
		{"overview (new program each time)", func(i int) string { return "/overview" }},
		{"fees of all by month", func(i int) string { return fmt.Sprintf("/fees?by=month&zone=Etc/GMT-%d", zone(i)) }},
		{"fees of days by day", func(i int) string { return "/fees?period=" + days(i) }},
		{"fees of a day by hour", func(i int) string { return "/fees?by=hour&period=" + day(i) + ".." + day(i) }},
		{"fees of a day by account", func(i int) string { return "/fees?by=account&period=" + day(i) + ".." + day(i) }},
		{"fees of a day by contract", func(i int) string { return "/fees?by=contract&period=" + day(i) + ".." + day(i) }},
		{"fees of the month by account", func(i int) string { return fmt.Sprintf("/fees?by=account&period=%s&after=%d", month, 100*i) }},
		{"fees of the month by contract", func(i int) string { return fmt.Sprintf("/fees?by=contract&period=%s&after=%d", month, 100*i) }},
		{"fees of a day, of reverted ones", func(i int) string { return "/fees?by=contract&status=reverted&period=" + day(i) + ".." + day(i) }},
		{"fees of the month, of reverted ones", func(i int) string {
			return fmt.Sprintf("/fees?by=contract&status=reverted&period=%s&after=%d", month, 100*i)
		}},
		{"a day beside the day before", func(i int) string { return "/fees?by=hour&compare=before&period=" + day(i) + ".." + day(i) }},
		{"a contract's days", func(i int) string { return fmt.Sprintf("/contract/%s?period=%s", contract, days(i)) }},
		{"a contract's month in other zones", func(i int) string {
			return fmt.Sprintf("/contract/%s?period=%s&zone=Etc/GMT-%d", contract, month, zone(i))
		}},
		{"transactions of a day", func(i int) string { return "/transactions?period=" + day(i) + ".." + day(i) }},
		{"transaction", func(i int) string { return "/tx/" + places[i%len(places)] }},
		{"block", func(i int) string {
			height, _, _ := strings.Cut(places[i%len(places)], "-")
			return "/block/" + height
		}},
		{"a quiet account", func(i int) string { return fmt.Sprintf("/account/%s?after=%d-0", quiet, 1000*i) }},
		{"a quiet account's statement of days", func(i int) string { return "/account/" + quiet + "/statement?balances=none&period=" + days(i) }},
		{"the busiest account's statement of a day", func(i int) string {
			return "/account/" + busy + "/statement?balances=none&period=" + day(i) + ".." + day(i)
		}},
		{"findings of a day", func(i int) string { return "/findings?period=" + day(i) + ".." + day(i) }},
	}, nil
}

// part returns a percentile by nearest rank, in milliseconds.
func part(list []time.Duration, percent int) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return float64(list[max(0, (len(list)*percent+99)/100-1)].Microseconds()) / 1000
}

// namesOf returns a busy account, a quiet one, and a contract of a month.
func namesOf(s *server, month string) (busy, quiet, contract string, err error) {
	column := func(by, name string) (values []string, err error) {
		_, text, err := s.get(context.Background(), "/fees.csv?by="+by+"&period="+month)
		if err != nil {
			return nil, err
		}
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil {
			return nil, err
		}
		at := slices.Index(rows[0], name)
		for _, row := range rows[1:] {
			if row[at] != "" {
				values = append(values, row[at])
			}
		}
		return values, nil
	}
	accounts, err := column("account", "account")
	if err != nil {
		return "", "", "", err
	}
	contracts, err := column("contract", "contract")
	if err != nil {
		return "", "", "", err
	}
	return accounts[0], accounts[len(accounts)/2], contracts[0], nil
}

// placesOf returns transaction IDs of a month.
func placesOf(s *server, month string) (places []string, err error) {
	_, text, err := s.get(context.Background(), "/api/v1/transactions?limit=1000&period="+month)
	if err != nil {
		return nil, err
	}
	var list struct {
		Transactions []struct{ ID string }
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	for _, t := range list.Transactions {
		places = append(places, t.ID)
	}
	return places, nil
}

// leave abandons a long request, and prints when the program is idle again.
func (s *server) leave(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if _, _, err := s.get(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		fmt.Println("the long request finished before it was abandoned")
		return nil
	}
	begin := time.Now()
	for range 200 {
		before := s.worked()
		time.Sleep(50 * time.Millisecond)
		if s.worked()-before <= 1 {
			fmt.Printf("long request abandoned after 500 ms: program idle at most %d ms later\n", time.Since(begin).Milliseconds())
			return nil
		}
	}
	return errors.New("the program continues to work on an abandoned request")
}

// answered is a response to one of many users.
type answered struct {
	at, took time.Duration // start since the beginning, and duration
	page     string
	wrong    string
}

// desk is a ledger of a server, with its pages.
type desk struct {
	*server
	pages []page
}

// crowd is some users, who send requests at the same time.
type crowd struct {
	users  int
	pause  time.Duration // from one request of a user to the next
	during time.Duration
}

// many runs concurrent users, each at one desk, and prints the times for each part of the run;
// at first nothing is cached.
func many(desks []desk, of crowd) error {
	var mutex sync.Mutex
	var seen []answered
	var all sync.WaitGroup
	began := time.Now()
	for user := range of.users {
		all.Go(func() {
			chance, at := rand.New(rand.NewPCG(1, uint64(user))), desks[user%len(desks)]
			time.Sleep(time.Duration(chance.Int64N(int64(of.pause))))
			for time.Since(began) < of.during {
				next := time.Now().Add(of.pause)
				wanted := at.pages[chance.IntN(len(at.pages))]
				a := answered{at: time.Since(began), page: wanted.name}
				var err error
				if a.took, _, err = at.get(context.Background(), wanted.path(chance.IntN(1000))); err != nil {
					a.wrong = err.Error()[strings.LastIndexByte(err.Error(), ':')+1:] + " of " + wanted.name
				}
				mutex.Lock()
				seen = append(seen, a)
				mutex.Unlock()
				time.Sleep(time.Until(next))
			}
		})
	}
	all.Wait()
	fmt.Printf("%d users, a request every %v each:\n", of.users, of.pause)
	tell(seen, 10*time.Second, of.during)
	const parts = 3
	for i := range parts {
		tell(seen, of.during/parts*time.Duration(i), of.during/parts*time.Duration(i+1))
	}
	tell(seen, 0, of.during)
	for _, p := range desks[0].pages {
		var took []time.Duration
		for _, a := range seen {
			if a.page == p.name && a.at >= 10*time.Second {
				took = append(took, a.took)
			}
		}
		if len(took) > 0 {
			fmt.Printf("  %-45s %4d, median %6.0f ms, 95 %% %6.0f ms\n", p.name, len(took), part(took, 50), part(took, 95))
		}
	}
	fmt.Printf("  peak memory %d MB\n", desks[0].peak()>>20)
	return nil
}

// tell prints the times of requests in a part of the run.
func tell(seen []answered, from, to time.Duration) {
	var took []time.Duration
	wrong := map[string]int{}
	for _, a := range seen {
		if a.at < from || a.at >= to {
			continue
		}
		took = append(took, a.took)
		if a.wrong != "" {
			wrong[a.wrong]++
		}
	}
	fmt.Printf("  %v to %v: %d responses, median %.0f ms, 95 %% %.0f ms, 99 %% %.0f ms%s\n", from, to, len(took), part(took, 50), part(took, 95), part(took, 99), told(wrong))
}

// told lists failed requests.
func told(wrong map[string]int) (text string) {
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		text += fmt.Sprintf("; %d times%s", wrong[name], name)
	}
	return text
}

// peak returns the program's peak memory.
func (s *server) peak() int64 {
	n, _ := strconv.ParseInt(s.proc("status", `VmHWM:\s+(\d+)`), 10, 64)
	return n << 10
}

// worked returns the program's CPU time, in hundredths of a second.
func (s *server) worked() int64 {
	fields := strings.Fields(s.proc("stat", `\) (.*)`))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return user + system
}

func (s *server) proc(name, pattern string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.command.Process.Pid, name))
	if err != nil {
		return ""
	}
	if found := regexp.MustCompile(pattern).FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return ""
}
