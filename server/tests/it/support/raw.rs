//! Requests down to the bytes, for what no well-behaved client would send.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpStream},
    thread,
    time::Duration,
};

/// Longest silence of the server.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends a head and then a piece of the body as often as told, reading at the same time; gives what the server answered. A server
/// that has heard enough may stop reading, but its answer must still arrive.
pub async fn stream(url: &str, head: &str, piece: Vec<u8>, times: usize) -> String {
    let mut writer = TcpStream::connect(url.trim_start_matches("http://")).expect("the shop listens");
    writer.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    writer.set_write_timeout(Some(PATIENCE)).expect("a time-out");
    let mut reader = writer.try_clone().expect("a second handle");
    let head = head.to_owned();
    let sending = thread::spawn(move || {
        let _ = writer.write_all(head.as_bytes());
        for _ in 0..times {
            if writer.write_all(&piece).is_err() {
                break;
            }
        }
        let _ = writer.flush();
    });
    let answer = tokio::task::spawn_blocking(move || {
        let (mut answer, mut buffer) = (Vec::new(), [0; 4096]);
        while !is_complete(&answer) {
            match reader.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(length) => answer.extend_from_slice(&buffer[..length]),
            }
        }
        let _ = reader.shutdown(Shutdown::Both);
        String::from_utf8_lossy(&answer).into_owned()
    })
    .await
    .expect("the answer is read");
    sending.join().expect("the sender ends");
    answer
}

/// Whether head and body are there.
fn is_complete(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    length.is_some_and(|length| body.len() >= length)
}

/// The head of an order's request as the API client `demo`.
pub fn head(key: &str, more: &[&str]) -> String {
    let mut head = format!(
        "POST /api/orders HTTP/1.1\r\nhost: shop.example\r\nauthorization: Bearer demo\r\nidempotency-key: {key}\r\n"
    );
    for line in more {
        head.push_str(line);
        head.push_str("\r\n");
    }
    head.push_str("\r\n");
    head
}
