//! What the tests stand on: throwaway databases ([`services`]), the shop in this process or as processes of its own ([`shop`]), and
//! a browser's or client's way of speaking to it ([`client`]) and of reading what it shows ([`page`]), down to the bytes ([`raw`]).

pub mod client;
pub mod daemon;

pub mod page;
pub mod payment;
pub mod proxy;
pub mod raw;
pub mod services;
pub mod shop;

/// Makes a test run twice: on SQLite without a gate, and on PostgreSQL with Redis.
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $name() {
                    super::$name($crate::support::shop::Backend::Sqlite).await;
                }
            )+
        }
        mod postgres_and_redis {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $name() {
                    super::$name($crate::support::shop::Backend::PostgresAndRedis).await;
                }
            )+
        }
    };
}
pub(crate) use on_both_databases;
