/** The WebAssembly module as text; the build puts it in. */
declare module 'virtual:retrywise-wasm-base64' {
	const base64: string;
	export default base64;
}

/** The module in plain JavaScript; the build puts it in. */
declare module 'virtual:retrywise-nowasm' {
	const make: () => import('../src/exports.ts').Exports;
	export default make;
}

/** The ledger's module, in the same way. */
declare module 'virtual:retrywise-wasm-base64/ledger' {
	const base64: string;
	export default base64;
}

/** A compiled module, where the bundler or the runtime hands one over. */
declare module '*.wasm' {
	const module: WebAssembly.Module;
	export default module;
}
