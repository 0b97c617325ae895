package finance

const compareManual = `--compare puts the period before beside it: the month before a --month, the year before
a --year, as many days or blocks before a range as it has. --compare 2025-02, or 2025,
names another month or year. Each figure has four columns: fee, fee_before,
fee_difference (now less before) and fee_percent (the difference in percent of before,
exact, rounded half up, away from zero, to two decimals; none where before is 0 or not
known). A gas price has no difference, only the percent. A group that either period has
is a row; without a transaction there, a figure is 0. Days, hours, months and blocks
stand beside those of the same place in their period: day 1 beside day 1, and a day 31
alone beside a shorter month. A range of heights begins with the first block that is
there; blocks are compared where both periods are ranges of heights. With prices, both
amounts are at those of their own days. --top takes the greatest fees of the period
itself, then of the one before. table has the fees, the others all; xlsx has the
percents of the totals on a sheet of its own; there is no html.`
