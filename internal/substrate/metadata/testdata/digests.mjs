// Writes digests.txt: the RFC-0078 digests of metadata files, as @polkadot-api/merkleize-metadata 1.3.0 computes them.
//   npm install @polkadot-api/merkleize-metadata@1.3.0 && node digests.mjs FILE.scale... > digests.txt
import { merkleizeMetadata } from "@polkadot-api/merkleize-metadata";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

for (const file of process.argv.slice(2)) {
  const bytes = readFileSync(file);
  if (bytes[4] < 15) continue; // the package wants version 15
  const digest = merkleizeMetadata(bytes, { decimals: 18, tokenSymbol: "GLMR" }).digest();
  console.log(basename(file, ".scale"), Buffer.from(digest).toString("hex"));
}
