#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| retrywise_fuzz::dates(data));
