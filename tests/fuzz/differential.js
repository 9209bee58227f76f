// Makes mutated JSON texts and compares verdicts; see ./differential.
'use strict';
const fs = require('fs');
const path = require('path');

const COUNT = 6000;
let seed = 0x2f6e2b1;

function random(below) { // xorshift: the same texts on every run
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    return (seed >>> 0) % below;
}

const pieces = [
    ',', ':', '{', '}', '[', ']', '"', '\\', '\\u', '\\ud800', '\\udc00', '\\u00', '\\u0000', '\\x',
    '/', '//', '/**/', '#', '-', '+', '.', '0', '01', '1.', '.5', '1e', '1e5', '1E+', '-0', 'NaN',
    'Infinity', 'true', 'nul', 'null', "'", ' ', '\n', '\r', '\t', '\v', '\f', '\0', '\x1f',
    '\x7f', '{}', '[]', ',]', ',}', '"":', '"a":1,', '"a"',
].map((text) => Buffer.from(text)).concat([
    [0x80], [0xc0, 0xaf], [0xc2, 0xa0], [0xe2, 0x80, 0xa8], [0xed, 0xa0, 0x80], [0xef, 0xbb, 0xbf],
    [0xf0, 0x9f, 0xa4, 0x96], [0xf4, 0x90, 0x80, 0x80], [0xff], [0xfe, 0xff],
].map((bytes) => Buffer.from(bytes)));

function mutate(text) {
    const at = random(text.length + 1);
    const end = Math.min(text.length, at + random(4));
    const piece = pieces[random(pieces.length)];

    switch (random(5)) {
    case 0: // put in
        return Buffer.concat([text.subarray(0, at), piece, text.subarray(at)]);
    case 1: // put in place of something
        return Buffer.concat([text.subarray(0, at), piece, text.subarray(end)]);
    case 2: // take out
        return Buffer.concat([text.subarray(0, at), text.subarray(end)]);
    case 3: // change a bit
        text = Buffer.from(text);
        if (at < text.length)
            text[at] ^= 1 << random(8);
        return text;
    default: // a small text of pieces
        return Buffer.concat(Array.from({ length: 1 + random(6) },
            () => pieces[random(pieces.length)]));
    }
}

function make(dir, out) {
    const shapes = fs.readdirSync(dir).sort().map((name) => fs.readFileSync(path.join(dir, name)));
    const records = [];

    for (let i = 0; i < COUNT; i++) {
        let text = shapes[i % shapes.length];

        for (let times = random(3); times >= 0; times--)
            text = mutate(text);
        records.push(Buffer.from(`${text.length}\n`), text);
    }
    fs.writeFileSync(out, Buffer.concat(records));
}

function nodeAccepts(text) {
    try {
        // JSON.parse takes text, so UTF-8 is checked on the way; the mark stays in.
        JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text));
        return true;
    } catch {
        return false;
    }
}

function withoutMark(text) {
    return text.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? text.subarray(3) : text;
}

function compare(file, verdictFile) {
    const records = fs.readFileSync(file);
    const verdicts = fs.readFileSync(verdictFile, 'latin1').trimEnd().split('\n');
    let at = 0, accepted = 0, bad = 0, count = 0;

    for (; at < records.length; count++) {
        const line = records.indexOf(10, at);
        const len = Number(records.toString('latin1', at, line));
        const text = records.subarray(line + 1, line + 1 + len);
        const ours = verdicts[count] ?? 'nothing';
        const theirs = nodeAccepts(ours === 'yes-bom' ? withoutMark(text) : text);

        at = line + 1 + len;
        accepted += theirs;
        if (ours.startsWith('yes') === theirs || ours === 'json-depth')
            continue;
        bad++;
        console.log(`text ${count}: ours ${ours}, node ${theirs}:`,
            JSON.stringify(text.toString('latin1')));
    }
    console.log(`${count} texts, ${accepted} of them JSON, ${bad} verdicts differ`);
    process.exit(bad || count !== verdicts.length || accepted < count / 50 ? 1 : 0);
}

if (process.argv[2] === 'make')
    make(process.argv[3], process.argv[4]);
else
    compare(process.argv[3], process.argv[4]);
