//! Many requests with random keys on several threads.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;

use super::harness::{Access, Keys};
use crate::batch::{Batcher, Limits, Next, Pending, Work};

/// A generator of the same numbers in every run (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// Up to three of eight keys.
    fn keys(&mut self) -> Keys {
        let mut key = || {
            let access = if self.below(2) == 0 { Access::Commute } else { Access::Write };
            (self.below(8) as u32, access)
        };
        let mut keys = vec![key(), key(), key()];
        keys.truncate(self.below(4) as usize);
        keys.sort_by_key(|(key, _)| *key);
        keys.dedup_by_key(|(key, _)| *key);
        keys
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Begin(usize),
    End(usize),
}

/// Records when each request begins and ends.
#[derive(Debug, Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Step>>>);

impl Work for Recorder {
    type Keys = Keys;
    type Request = usize;
    type Answer = usize;

    async fn run(&mut self, batch: Vec<Pending<usize, usize>>) -> Next {
        let record = |step: fn(usize) -> Step| {
            self.0.lock().unwrap().extend(batch.iter().map(|pending| step(pending.request)));
        };
        record(Step::Begin);
        for _ in 0..batch.len() % 3 {
            tokio::task::yield_now().await;
        }
        record(Step::End);
        for pending in batch {
            let number = pending.request;
            pending.answer(number);
        }
        Next::default()
    }
}

fn batcher(waiting: usize) -> (Batcher<Recorder>, Recorder) {
    let limits = Limits { batch: 5, waiting, max_wait: Duration::from_mins(1), yields: 0 };
    let recorder = Recorder::default();
    (Batcher::new("testing", limits, vec![recorder.clone(); 3]), recorder)
}

fn conflict(one: &Keys, other: &Keys) -> bool {
    let clash = |(key, access): &(u32, Access)| {
        other.iter().any(|(k, a)| k == key && !(*a == Access::Commute && *access == Access::Commute))
    };
    one.iter().any(clash)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_that_conflict_run_one_after_the_other_in_their_order() {
    let (batcher, recorder) = batcher(2000);
    let mut random = Random(1);
    let all: Vec<_> = (0..2000).map(|_| random.keys()).collect();
    // `join_all` polls its futures in order, and the first poll queues the request.
    let submit = |(number, keys): (usize, &Keys)| batcher.submit(keys.clone(), number);
    let answers = join_all(all.iter().enumerate().map(submit)).await;
    for (number, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer.unwrap(), number);
    }
    let steps = recorder.0.lock().unwrap().clone();
    let mut times = vec![(None, None); all.len()];
    for (time, step) in steps.iter().enumerate() {
        match step {
            Step::Begin(number) => assert_eq!(times[*number].0.replace(time), None, "{number} runs once"),
            Step::End(number) => assert_eq!(times[*number].1.replace(time), None),
        }
    }
    for (later, keys) in all.iter().enumerate() {
        for earlier in 0..later {
            if conflict(&all[earlier], keys) {
                assert!(times[earlier].1 < times[later].0, "{earlier} and {later}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_caller_is_answered_however_many_come_and_go() {
    let (batcher, recorder) = batcher(10);
    let callers = (0..100).map(|caller| {
        let batcher = batcher.clone();
        tokio::spawn(async move {
            let mut random = Random(caller as u64);
            for round in 0..100 {
                let number = caller * 100 + round;
                let keys = random.keys();
                if random.below(4) == 0 {
                    // Goes away while the request waits for a place, waits in the queue, or runs.
                    let mut answer = Box::pin(batcher.submit(keys, number));
                    for _ in 0..random.below(3) {
                        if (&mut answer).now_or_never().is_some() {
                            break;
                        }
                        tokio::task::yield_now().await;
                    }
                } else {
                    assert_eq!(batcher.submit(keys, number).await.unwrap(), number);
                }
            }
        })
    });
    let callers: Vec<_> = callers.collect();
    for caller in callers {
        tokio::time::timeout(Duration::from_secs(50), caller).await.unwrap().unwrap();
    }
    assert_eq!(batcher.close().await.len(), 3);
    let steps = recorder.0.lock().unwrap().clone();
    let begun = steps.iter().filter(|step| matches!(step, Step::Begin(_))).count();
    assert_eq!(begun * 2, steps.len(), "each that began has ended");
}
