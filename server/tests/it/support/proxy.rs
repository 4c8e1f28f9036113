//! A proxy in front of PostgreSQL that can cut a connection at the worst moment: after COMMIT has been sent, before its answer.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::Notify,
};

/// The proxy.
#[derive(Clone)]
pub struct CommitCutter {
    /// Its port on loopback.
    pub port: u16,
    armed: Arc<AtomicBool>,
    cuts: Arc<AtomicUsize>,
}

impl CommitCutter {
    /// Listens in front of a PostgreSQL port.
    pub async fn in_front_of(postgres_port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let cutter = Self {
            port,
            armed: Arc::default(),
            cuts: Arc::default(),
        };
        let accepting = cutter.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if let Ok(server) = TcpStream::connect(("127.0.0.1", postgres_port)).await {
                    accepting.clone().join(client, server);
                }
            }
        });
        cutter
    }

    /// Cuts the next connection that commits.
    pub fn arm(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }

    /// How many connections were cut.
    pub fn cuts(&self) -> usize {
        self.cuts.load(Ordering::SeqCst)
    }

    fn join(self, client: TcpStream, server: TcpStream) {
        let (client_reader, client_writer) = client.into_split();
        let (server_reader, server_writer) = server.into_split();
        let cut = Arc::new(Notify::new());
        let answers = tokio::spawn(forward_until(server_reader, client_writer, Arc::clone(&cut)));
        tokio::spawn(async move {
            self.watch(client_reader, server_writer, &cut).await;
            let _ = answers.await;
        });
    }

    /// Passes on what the client says. When armed, the answer to a COMMIT never comes back.
    async fn watch(&self, mut reader: OwnedReadHalf, mut writer: OwnedWriteHalf, cut: &Notify) {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = reader.read(&mut buffer).await {
            let said = &buffer[..length];
            let commits = said.windows(6).any(|word| word == b"COMMIT");
            let cuts = commits && self.armed.swap(false, Ordering::SeqCst);
            if cuts {
                // The answers stop first, so that none slips through; then the COMMIT goes out.
                cut.notify_one();
            }
            if writer.write_all(said).await.is_err() {
                return;
            }
            if cuts {
                self.cuts.fetch_add(1, Ordering::SeqCst);
                return;
            }
        }
    }
}

async fn forward_until(mut reader: OwnedReadHalf, mut writer: OwnedWriteHalf, cut: Arc<Notify>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        tokio::select! {
            biased;
            () = cut.notified() => return,
            read = reader.read(&mut buffer) => match read {
                Ok(length @ 1..) if writer.write_all(&buffer[..length]).await.is_ok() => {}
                _ => return,
            },
        }
    }
}
