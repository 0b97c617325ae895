package app_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// hourly is a made-up chain with a block every two hours, from the first second of 2025 on.
func hourly(t *testing.T) *source.Reader {
	_, reader := made(3, 900)
	change := func(b *chain.Block) error {
		for i := range b.Extrinsics {
			if x := &b.Extrinsics[i]; x.Pallet == "timestamp" {
				at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(b.Number-1) * 2 * time.Hour)
				x.Args = chain.Values{chain.Uint64Value(uint64(at.UnixMilli()))}
			}
		}
		return nil
	}
	return &source.Reader{Source: withHead{otherwise{Source: reader.Source, block: change}, 900}, Tables: reader.Tables}
}

// withHead is a source whose newest block is read as the others are.
type withHead struct {
	otherwise
	head uint64
}

func (s withHead) Head(ctx context.Context, _ bool) (*chain.Block, error) {
	return s.Block(ctx, s.head)
}

// A month that was synced is there in every time zone, and one of exact heights is after its
// month was synced, too, in the same ledger, which has the same figures then.
func TestAMonthInEveryTimeZone(t *testing.T) {
	reader := hourly(t)
	zones := []string{"UTC", "Europe/Berlin", "Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kathmandu", "America/St_Johns"}
	month := func(zone string) app.Period {
		return parsed(t, app.PeriodInput{Month: "2025-02", Timezone: zone})
	}
	var figures []string
	for _, exactly := range []bool{false, true} {
		place := file(t)
		if exactly { // only February UTC: blocks 373 to 708
			_, err := app.Sync(t.Context(), place, blocks(t, "372..709"), app.FillOptions{Reader: reader})
			require.NoError(t, err)
			d, err := app.Open(t.Context(), place, network.BuiltIn())
			require.NoError(t, err)
			_, err = d.Report(t.Context(), app.Request{Period: month("Asia/Tokyo")}, report.Choice{By: report.Day})
			require.Equal(t, failure.NotCovered, app.KindOf(err))
			_, err = d.Report(t.Context(), app.Request{Period: month("UTC")}, report.Choice{By: report.Day})
			require.NoError(t, err)
			require.NoError(t, d.Close())
		}
		filled, err := app.Sync(t.Context(), place, wanted(t, app.PeriodInput{Month: "2025-02", Timezone: "Europe/Berlin"}), app.FillOptions{Reader: reader})
		require.NoError(t, err)
		require.Equal(t, spanOf(372-7, 709+6), filled.Blocks) // 14 hours are 7 blocks, 12 hours 6
		require.Equal(t, "2025-02 in Europe/Berlin with a margin for every time zone", filled.Name)
		d, err := app.Open(t.Context(), place, network.BuiltIn())
		require.NoError(t, err)
		for i, zone := range zones {
			r, err := d.Report(t.Context(), app.Request{Period: month(zone)}, report.Choice{By: report.Day})
			require.NoError(t, err, zone)
			said := fmt.Sprintf("%+v", r.Totals)
			if !exactly {
				figures = append(figures, said)
			} else {
				require.Equal(t, figures[i], said, zone)
			}
		}
		// A month that is further away comes with what lies between.
		filled, err = app.Sync(t.Context(), place, wanted(t, app.PeriodInput{From: "2025-01-03", To: "2025-01-04"}), app.FillOptions{Reader: reader})
		require.NoError(t, err)
		require.Equal(t, spanOf(24-7, 372-7-1), filled.Blocks)
		require.EqualValues(t, 24-7, filled.Status.First)
		require.NoError(t, d.Close())
	}
}
