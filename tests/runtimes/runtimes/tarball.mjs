// What is in the packed package.

import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

export async function tarball({ project, report, isWanted }) {
	if (!isWanted('tarball')) {
		return;
	}
	const results = [];
	const test = async (name, run) => {
		try {
			await run();
			results.push({ area: 'package', name, error: null });
		} catch (error) {
			results.push({ area: 'package', name, error: error.message });
		}
	};
	const { files, size, unpackedSize } = project.tarball;
	const read = (path) => readFileSync(project.at(`node_modules/retrywise/${path}`), 'utf8');
	const manifest = JSON.parse(read('package.json'));
	await test('the licences are in it', () => {
		none(['LICENSE-APACHE', 'LICENSE-MIT', 'README.md'].filter((file) => !files.includes(file)));
	});
	await test('nothing is in it but the build, the modules and the texts', () => {
		none(
			files.filter(
				(file) =>
					!/^(?:dist\/|lab\/dist\/|wasm\/[\w.]+\.wasm$|[A-Z-]+(?:\.md)?$|package\.json$)/.test(
						file,
					),
			),
		);
	});
	await test('no code is made of text', () => {
		const code = files.filter((file) => /\.c?js$/.test(file));
		none(
			code.filter((file) =>
				/(?<![.\w])eval\s*\(|\bnew Function\b|\bFunction\s*\(\s*["'`]/.test(read(file)),
			),
		);
	});
	await test('every export leads to a file, its types first', () => {
		const wrong = [];
		const visit = (where, target) => {
			if (typeof target === 'string') {
				if (!files.includes(target.slice(2))) {
					wrong.push(`${where} leads to ${target}`);
				}
				return;
			}
			const conditions = Object.keys(target);
			if (conditions.includes('types') && conditions[0] !== 'types') {
				wrong.push(`${where} has its types after ${conditions[0]}`);
			}
			if (conditions.at(-1) !== 'default' && !conditions.includes('import')) {
				wrong.push(`${where} has no default`);
			}
			for (const [condition, inner] of Object.entries(target)) {
				visit(`${where} ${condition}`, inner);
			}
		};
		for (const [entry, target] of Object.entries(manifest.exports)) {
			visit(entry, target);
		}
		none(wrong);
	});
	await test('of the bundled entry only what is used is left', async () => {
		const sizeOf = async (code) => {
			const { outputFiles } = await build({
				stdin: { contents: code, resolveDir: project.folder },
				bundle: true,
				minify: true,
				write: false,
				format: 'esm',
				platform: 'browser',
				logLevel: 'error',
			});
			const { text } = outputFiles[0];
			return { text, code: text.replace(/AGFzbQEAAAA[\w+/=]*/, '').length };
		};
		const classify = await sizeOf(`export { classify } from 'retrywise';`);
		none(
			['interceptors', 'axios-retry', 'x-retry-layer', 'call_begin('].filter((word) =>
				classify.text.includes(word),
			),
		);
		const everything = await sizeOf(`export * from 'retrywise';`);
		if (classify.code * 2 > everything.code) {
			throw new Error(
				`classify alone is ${classify.code} bytes of code, everything ${everything.code}`,
			);
		}
	});
	report.add(
		`tarball, ${Math.round(size / 1024)} KiB packed, ${Math.round(unpackedSize / 1024)} KiB unpacked`,
		{ results },
	);
}

function none(found) {
	if (found.length > 0) {
		throw new Error(found.join('; '));
	}
}
