//! The least HTTP client that shows the loop: one request a connection, plain text, no body. Put
//! yours in its place; keep its own retries off.

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    time::Duration,
};

/// The head of an answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
}

/// Sends one request to an `http://` address.
pub(crate) fn send(
    method: &str,
    url: &str,
    headers: &[(String, Vec<u8>)],
    timeout: Option<Duration>,
) -> io::Result<Answer> {
    let rest = url.strip_prefix("http://").ok_or(io::ErrorKind::InvalidInput)?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(timeout)?;
    let mut request = format!(
        "{method} /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: 0\r\n"
    )
    .into_bytes();
    for (name, value) in headers {
        request.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    request.extend(b"\r\n");
    stream.write_all(&request)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    read(&String::from_utf8_lossy(&answer)).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

fn read(answer: &str) -> Option<Answer> {
    let (head, _body) = answer.split_once("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_owned(), value.trim().to_owned()))
    };
    Some(Answer { status, headers: lines.filter_map(header).collect() })
}
