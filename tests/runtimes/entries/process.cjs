// The same, by `require`.

const api = {
	axios: require('axios'),
	core: require('retrywise'),
	retrying: require('retrywise/axios'),
	fetching: require('retrywise/fetch'),
	keeping: require('retrywise/ledger'),
	fetch,
};

Promise.all([import('./suite.mjs'), import('./lab.mjs')]).then(
	async ([{ runSuite }, { openLab }]) => {
		console.log(JSON.stringify(await runSuite(api, openLab(process.argv[2]))));
	},
);
