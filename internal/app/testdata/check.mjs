// Runs the checks of check.html under node: node check.mjs check.html. Each line of standard input is JSON: dir, kept.
// Each line of output is the report.
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'

const page = fs.readFileSync(process.argv[2], 'utf8')
const script = /<script id="check">([\s\S]*?)<\/script>/.exec(page)[1]
const check = new Function(script + '\nreturn check')()
for await (const line of readline.createInterface({input: process.stdin})) {
	const {dir, kept} = JSON.parse(line), files = new Map()
	for (const e of fs.readdirSync(dir, {recursive: true, withFileTypes: true})) {
		if (!e.isFile()) continue
		const file = path.join(e.parentPath ?? e.path, e.name)
		files.set(path.relative(dir, file).split(path.sep).join('/'), await fs.openAsBlob(file))
	}
	console.log(JSON.stringify(await check(files, kept)))
}
