module.exports = {
	testMatch: ['<rootDir>/jest.test.cjs'],
	testEnvironment: 'node',
	// The package is tested as it is built.
	transform: {},
};
