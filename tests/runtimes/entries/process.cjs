// The same, by `require`.

const prefix = process.argv[3] === 'nowasm' ? 'retrywise/nowasm' : 'retrywise';

const api = {
	axios: require('axios'),
	core: require(prefix),
	retrying: require(`${prefix}/axios`),
	fetching: require(`${prefix}/fetch`),
	keeping: require(`${prefix}/ledger`),
	fetch,
};

Promise.all([import('./suite.mjs'), import('./lab.mjs')]).then(
	async ([{ runSuite }, { openLab }]) => {
		console.log(JSON.stringify(await runSuite(api, openLab(process.argv[2]))));
	},
);
