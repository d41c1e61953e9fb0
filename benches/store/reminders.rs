//! Looking for due mails beside up to a million recipients with a reminder to come. One caller calls the library.

use std::time::Instant;

use signup_benches::{in_turn, quantile};
use signup_core::uuid::Uuid;
use signup_core::{NewSignup, Notice, NoticeCause, NoticeId, Outbox, SignedDuration, Write};
use tokio::runtime::Runtime;

use crate::engine::{self, Database, Engine, new_event};
use crate::report;

/// The numbers of reminders to come. The last is compared with the first.
const SIZES: [u32; 2] = [100, 1_000_000];
/// Rounds are short and alternate, so that other load on the machine affects few rounds, and the rounds of both sizes alike.
const ROUNDS: usize = 21;
const CALLS: u32 = 100;
/// The goal: the cost grows at most with the depth of the trees.
const AT_MOST: f64 = 1.5;

struct Site {
    _database: Database,
    outbox: Outbox,
}

/// Reports the cost of a look, in microseconds, and that at the last size divided by that at the first.
pub(crate) fn measure(runtime: &Runtime, engine: &Engine) {
    let sites: Vec<_> = SIZES.into_iter().map(|size| runtime.block_on(Site::new(engine, size))).collect();
    let rounds = in_turn(ROUNDS, &sites, |site| runtime.block_on(site.round()));
    let costs: Vec<_> = rounds.iter().map(|costs| quantile(costs, 0.5)).collect();
    for (size, cost) in SIZES.iter().zip(&costs) {
        report(&format!("look for due mails, {size} reminders to come"), *cost, "µs", None);
    }
    report("look for due mails, last size to first", costs[1] / costs[0], "", Some(AT_MOST));
}

impl Site {
    /// Creates a site on which one mail is due.
    async fn new(engine: &Engine, size: u32) -> Self {
        let database = engine.database(1).await;
        let service = engine::service(&database.stores[0]);
        let organization = engine::organization(&service).await;
        let session = engine::session(&service, organization).await;
        let shift = session.create_event(new_event(1).published()).await.unwrap().shifts.remove(0);
        let ada = NewSignup::new("Ada".parse().unwrap(), "ada@example.org".parse().unwrap());
        let form = service.volunteers().form_of(organization, [shift.id]).await.unwrap();
        drop(form.sign_up(ada).await.unwrap().into_places().unwrap());
        let outbox = service.outbox();
        let recipient = outbox.due(1).await.unwrap().remove(0);
        let reminders = (1..=size).map(|number| Write::insert(reminder(recipient.clone(), number)));
        engine::fill(&*database.stores[0], reminders).await;
        engine.settle(&database);
        Self { _database: database, outbox }
    }

    /// Returns the mean cost of the calls of a round, in microseconds.
    async fn round(&self) -> f64 {
        let began = Instant::now();
        for _ in 0..CALLS {
            assert_eq!(self.outbox.due(16).await.unwrap().len(), 1);
        }
        began.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS)
    }
}

/// Returns another recipient, which rests until its reminder: an hour to some months after the first one was made.
fn reminder(mut notice: Notice, number: u32) -> Notice {
    notice.id = NoticeId::new(Uuid::from_u128(number.into()));
    notice.due_at = None;
    if let NoticeCause::News(recipient) = &mut notice.cause {
        recipient.email = format!("ada{number}@example.org").parse().unwrap();
        recipient.remind_at =
            Some(notice.created_at + SignedDuration::from_secs(3600 + i64::from(number) * 10));
    }
    notice
}
