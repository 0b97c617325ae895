package evidence

import (
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// above returns the part of a fee that the sender added: the priority fee or the tip.
func above(t *fee.Transaction) chain.Optional[chain.Wei] {
	if t.Layer == fee.EVM {
		return t.PriorityFee
	}
	return t.Tip
}

// authorParts returns the number of parts of the fee, or of an amount minted besides, that the rules give to
// the block's author.
func authorParts(rules *network.Rules, t *fee.Transaction) (parts int) {
	d, _ := rules.Destinations.Get()
	ofBase, ofPart := d.NativeBase == rule.Author, d.NativeTip == rule.Author
	if t.Layer == fee.EVM {
		ofBase, ofPart = d.EVMBase == rule.Author, d.EVMPriority == rule.Author || d.PriorityMinted
	}
	part, _ := above(t).Get()
	if ofPart && !part.IsZero() {
		parts++
	}
	if whole, determined := t.Fee.Get(); ofBase && (!determined || whole.Cmp(part) > 0) {
		parts++
	}
	return parts
}

// authorPaid reports whether the last deposit is the author's. Some runtimes also deposit a part of 0, after the
// treasury's credit, which a refund precedes.
func (p *prover) authorPaid(t *transaction, cash *chain.Cash) bool {
	last := len(cash.Deposits) - 1
	treasury, named := p.rules.Treasury.Get()
	return authorParts(p.rules, t.Transaction.Transaction) > 0 ||
		named && last > 0 && cash.Deposits[last].Amount.IsZero() && cash.Deposits[last-1].Account == treasury
}

// divide sets where the money went, according to the credits, and compares that with the rules. The credits of
// a fee are the last deposits of its extrinsic: to the treasury, then to the author if one is paid, for each
// part or for the whole. After a refund no other account is credited; without a refund, earlier deposits may
// be the extrinsic's own. It removes credits of 0 from the slice.
func (p *prover) divide(t *transaction, credits []chain.Deposit, refunded bool) result {
	credits = slices.DeleteFunc(credits, func(c chain.Deposit) bool { return c.Amount.IsZero() })
	var have rule.Parts
	if p.treasuryMissing() && len(credits) > 0 {
		return skips(noTreasury)
	}
	treasury, named := p.rules.Treasury.Get()
	toTreasury := func(c chain.Deposit) bool { return named && c.Account == treasury }
	parts := authorParts(p.rules, t.Transaction.Transaction)
	if last := len(credits) - 1; parts > 0 && last >= 0 && !toTreasury(credits[last]) {
		if author, known := p.author.Get(); known && author != credits[last].Account {
			return breaks("%v was credited as the block's author, but %v earlier in the block", credits[last].Account, author)
		}
		p.author = chain.Some(credits[last].Account)
	}
	author, paid := p.author.Get()
	var err error
	for last := len(credits) - 1; paid && parts > 0 && last >= 0 && credits[last].Account == author && err == nil; last-- {
		have.Author, err = have.Author.Add(credits[last].Amount)
		credits, parts = credits[:last], parts-1
	}
	for last := len(credits) - 1; last >= 0 && toTreasury(credits[last]) && err == nil; last-- {
		have.Treasury, err = have.Treasury.Add(credits[last].Amount)
		credits = credits[:last]
	}
	d, known := p.rules.Destinations.Get()
	verdict, _ := t.Verdict.Get()
	if len(credits) > 0 && (!known || verdict == Drift) {
		return skips("an account was credited, but no rule determines whether as the author")
	}
	spent := have.Treasury
	if err == nil && !d.PriorityMinted {
		spent, err = spent.Add(have.Author)
	}
	charged, _ := t.Charged.Get()
	if err == nil {
		have.Burned, err = charged.Sub(spent)
	}
	if err != nil {
		return breaks("the %s and the author were credited more than the %v wei charged", p.rules.TreasuryLabel(), charged)
	}
	t.Burned, t.Treasury, t.Author = chain.Some(have.Burned), chain.Some(have.Treasury), chain.Some(have.Author)
	if err := treasuryEvents(t.x, treasury); err != nil {
		return breaks("%v", err)
	}
	if p.rules.EVM == rule.Revive {
		if err := p.burnedAsStated(t); err != nil {
			return breaks("%v", err)
		}
	}
	switch {
	case verdict == Drift:
		return skips("the fee itself is a drift")
	case refunded && len(credits) > 0:
		other := credits[len(credits)-1]
		return breaks("%v was credited %v wei but is neither the %s nor the author", other.Account, other.Amount, p.rules.TreasuryLabel())
	}
	return p.split(t.Transaction.Transaction, have)
}

func (s *subject) divided() { s.enter(s.t.divided) }

// What a table may leave unknown about the destinations of fees.
const (
	noTreasury     = "the table does not contain the treasury's account"
	noDestinations = "the table does not contain the destinations of this runtime's fees"
)

// treasuryEvents checks that each treasury.Deposit follows the credit that it reports (pallet treasury,
// on_nonzero_unbalanced). The treasury's first credit ever creates its account, so events for that are in
// between.
func treasuryEvents(x *chain.Extrinsic, treasury chain.Address) error {
	for i := range x.Events {
		if !x.Events[i].Is("treasury", "Deposit") {
			continue
		}
		told, err := x.Events[i].Data.At(0).Wei()
		if err != nil {
			return fmt.Errorf("event treasury.Deposit: data[0]: %w", err)
		}
		before := i - 1
		for before >= 0 && makesAccount(&x.Events[before], treasury) {
			before--
		}
		if before < 0 || !moves(&x.Events[before], "Deposit", treasury, told) {
			return fmt.Errorf("event treasury.Deposit: no credit of %v wei precedes it", told)
		}
	}
	return nil
}

// makesAccount reports whether an event is emitted for the creation of an account.
func makesAccount(e *chain.Event, account chain.Address) bool {
	if !e.Is("system", "NewAccount") && !e.Is("balances", "Endowed") {
		return false
	}
	made, err := e.Data.At(0).Account()
	return err == nil && made == account
}

// splitUnknown returns why the split of the block's fees cannot be checked, or "".
func (p *prover) splitUnknown() string {
	d, known := p.rules.Destinations.Get()
	switch {
	case !known:
		return noDestinations
	case p.treasuryMissing():
		return noTreasury
	case d.LooksAt(rule.TreasuryParameter) && !p.options.FeesTreasuryProportion.Known():
		return "FeesTreasuryProportion is unknown"
	}
	return ""
}

// treasuryMissing reports whether the treasury may have received a part but the table does not contain its
// account.
func (p *prover) treasuryMissing() bool {
	d, known := p.rules.Destinations.Get()
	return !p.rules.Treasury.Known() && (!known || d.ToTreasury())
}

// split compares the parts with those that the rules prescribe.
func (p *prover) split(t *fee.Transaction, have rule.Parts) result {
	d, known := p.rules.Destinations.Get()
	if !known {
		return skips(noDestinations)
	}
	want, err := p.prescribed(d, t)
	switch {
	case d.BurnedBelowDeposit && have.Treasury.IsZero() && have.Author.IsZero() && p.belowDeposit(t):
		return (*subject).held
	case errors.Is(err, chain.ErrMissing):
		return skips(err.Error())
	case err != nil:
		return breaks("%v", err)
	case have.Treasury != want.Treasury || have.Author != want.Author:
		return breaks("the %s and the author were credited %v and %v wei, but the rules give them %v and %v",
			p.rules.TreasuryLabel(), have.Treasury, have.Author, want.Treasury, want.Author)
	}
	return (*subject).held
}

// belowDeposit reports whether a fee is below the existential deposit. It is burned if the account that would receive it does
// not exist.
func (p *prover) belowDeposit(t *fee.Transaction) bool {
	whole, determined := t.Fee.Get()
	least, known := p.rules.ExistentialDeposit.Get()
	return determined && known && whole.Cmp(least) < 0
}

// prescribed returns the division of a fee under the rules.
func (p *prover) prescribed(d rule.Destinations, t *fee.Transaction) (rule.Parts, error) {
	whole, ok := t.Fee.Get()
	part, alsoOK := above(t).Get()
	if !ok || !alsoOK {
		return rule.Parts{}, fmt.Errorf("the parts of the fee: %w", chain.ErrMissing)
	}
	base, err := whole.Sub(part)
	if err != nil {
		return rule.Parts{}, err
	}
	ofBase, ofPart := d.NativeBase, d.NativeTip
	if t.Layer == fee.EVM {
		ofBase, ofPart = d.EVMBase, d.EVMPriority
		if d.EVMWhole {
			minted := part
			parts, err := d.EVMBase.Split(whole, p.options.FeesTreasuryProportion)
			if d.PriorityMinted {
				parts.Author = minted
			}
			return parts, err
		}
	}
	parts, err := ofBase.Split(base, p.options.FeesTreasuryProportion)
	if err != nil {
		return rule.Parts{}, err
	}
	more, err := ofPart.Split(part, p.options.FeesTreasuryProportion)
	if err != nil {
		return rule.Parts{}, err
	}
	return rule.Parts{Treasury: sum(parts.Treasury, more.Treasury), Author: sum(parts.Author, more.Author)}, nil
}

// sum adds two parts of one amount, which cannot overflow because the amount itself fits.
func sum(a, b chain.Wei) chain.Wei {
	s, _ := a.Add(b)
	return s
}
