package postgrestest

import (
	"context"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"
)

// PoolerAddress starts a connection pooler before a database, and returns the database's address through it. As PgBouncer
// does, it refuses unusual parameters at the start, and names itself instead of the server's session. Each transaction gets a
// server connection if byTransaction is true, as in PgBouncer's transaction mode, or else each client.
func PoolerAddress(t testing.TB, database string, byTransaction bool) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &pooler{database: database, byTransaction: byTransaction}
	var clients sync.WaitGroup
	t.Cleanup(func() {
		listener.Close()
		p.closeAll()
		clients.Wait()
	})
	clients.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			clients.Go(func() { p.serve(conn) })
		}
	})
	address, err := url.Parse(database)
	require.NoError(t, err)
	address.Host = listener.Addr().String()
	return address.String()
}

type pooler struct {
	database      string
	byTransaction bool

	mu     sync.Mutex
	idle   []*pgconn.HijackedConn // the last one is used next
	opened []net.Conn
}

// take returns a server connection, an idle one if there is one.
func (p *pooler) take() (*pgconn.HijackedConn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		server := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return server, nil
	}
	connected, err := pgconn.Connect(context.Background(), p.database)
	if err != nil {
		return nil, err
	}
	server, err := connected.Hijack()
	if err == nil {
		p.opened = append(p.opened, server.Conn)
	}
	return server, err
}

func (p *pooler) give(server *pgconn.HijackedConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, server)
}

func (p *pooler) closeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.opened {
		conn.Close()
	}
}

// startup are the parameters that PgBouncer accepts at the start.
var startup = map[string]bool{"user": true, "database": true, "client_encoding": true, "datestyle": true, "timezone": true, "standard_conforming_strings": true, "application_name": true, "intervalstyle": true}

// serve serves a client until either side closes its connection.
func (p *pooler) serve(conn net.Conn) {
	p.mu.Lock()
	p.opened = append(p.opened, conn)
	p.mu.Unlock()
	defer conn.Close()
	client := pgproto3.NewBackend(conn, conn)
	if !admit(client, conn) {
		return
	}
	var server *pgconn.HijackedConn
	defer func() {
		if server != nil {
			server.Conn.Close()
		}
	}()
	for {
		message, err := client.Receive()
		if _, ends := message.(*pgproto3.Terminate); err != nil || ends {
			return
		}
		if server == nil {
			if server, err = p.take(); err != nil {
				return
			}
		}
		server.Frontend.Send(message)
		switch message.(type) {
		case *pgproto3.Query, *pgproto3.Sync, *pgproto3.CopyDone, *pgproto3.CopyFail:
			status, err := answer(client, server)
			if err != nil {
				return
			}
			if status == 'I' && p.byTransaction {
				p.give(server)
				server = nil
			}
		}
	}
}

// admit accepts a client, as PgBouncer does.
func admit(client *pgproto3.Backend, conn net.Conn) bool {
	for {
		message, err := client.ReceiveStartupMessage()
		if err != nil {
			return false
		}
		begin, is := message.(*pgproto3.StartupMessage)
		if !is {
			if _, err := conn.Write([]byte("N")); err != nil { // no encryption
				return false
			}
			continue
		}
		for name := range begin.Parameters {
			if !startup[name] {
				client.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "08P01", Message: "unsupported startup parameter: " + name})
				client.Flush()
				return false
			}
		}
		client.Send(&pgproto3.AuthenticationOk{})
		for _, status := range [][2]string{{"server_version", "15.0"}, {"client_encoding", "UTF8"}, {"standard_conforming_strings", "on"}} {
			client.Send(&pgproto3.ParameterStatus{Name: status[0], Value: status[1]})
		}
		client.Send(&pgproto3.BackendKeyData{ProcessID: 1<<31 - 1, SecretKey: []byte{1, 2, 3, 4}}) // of no session
		client.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		return client.Flush() == nil
	}
}

// answer copies the server's messages up to the end of the answer, or to the request for rows to copy, and returns the
// status of the transaction, 0 if it is not known.
func answer(client *pgproto3.Backend, server *pgconn.HijackedConn) (status byte, err error) {
	if err := server.Frontend.Flush(); err != nil {
		return 0, err
	}
	for {
		message, err := server.Frontend.Receive()
		if err != nil {
			return 0, err
		}
		client.Send(message)
		switch message := message.(type) {
		case *pgproto3.ReadyForQuery:
			return message.TxStatus, client.Flush()
		case *pgproto3.CopyInResponse:
			return 0, client.Flush()
		}
	}
}
