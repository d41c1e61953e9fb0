//! Races of codes and sign-ins, on every store.

use std::sync::Arc;

use super::races::Race;
use crate::*;

/// Signing out everywhere ends a sign-in that began before, and none that began after.
pub async fn signing_out_everywhere_ends_a_simultaneous_sign_in_or_comes_before_it(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        let ada = race.member(0, "ada", Role::Organizer).await;
        let (browser, people) = (Secret::generate(), race.services[1].people());
        let code = race.code(&browser, "ada").await;
        let sign_in = async move { people.sign_in(&browser, &code, None).await };
        let (out, entered) = race.run(async move { ada.sign_out_everywhere().await }, sign_in).await;
        assert_eq!(out, Ok(()), "{:?}", race.places);
        let ended = match entered {
            Ok((_, secret)) => race.services[0].people().signed_in(&secret).await.err(),
            Err(error) => Some(error),
        };
        match race.first() {
            Some(0) => assert_eq!(ended, None),
            Some(_) => assert_eq!(ended, Some(Error::Unauthenticated)),
            None => assert!(ended.is_none_or(|ended| ended == Error::Unauthenticated)),
        }
    }
}

/// Enters a code 20 times at once, in two processes. Returns the results.
async fn enter_at_once(race: &Race, browser: &Secret, code: &Code) -> Vec<Option<Error>> {
    let tries: Vec<_> = (0..20)
        .map(|number| {
            let (people, browser, code) = (race.services[number % 2].people(), browser.clone(), code.clone());
            tokio::spawn(async move { people.sign_in(&browser, &code, None).await.err() })
        })
        .collect();
    let mut results = vec![];
    for entered in tries {
        results.push(entered.await.unwrap());
    }
    results
}

fn count(results: &[Option<Error>], expected: Option<&Error>) -> usize {
    results.iter().filter(|result| result.as_ref() == expected).count()
}

/// All processes together accept five tries of a code.
pub async fn a_code_has_five_tries_in_all_processes_together(store: Arc<dyn Store>) {
    let race = Race::each(&store).await.remove(0);
    race.member(0, "ada", Role::Organizer).await;
    let browser = Secret::generate();
    let right = race.code(&browser, "ada").await;
    let results = enter_at_once(&race, &browser, &"aaaaaaaa".parse().unwrap()).await;
    assert_eq!((count(&results, Some(&Error::WrongCode)), count(&results, Some(&Error::CodeGone))), (4, 16));
    let late = race.services[1].people().sign_in(&browser, &right, None).await;
    assert_eq!(late.err(), Some(Error::CodeGone));
}

/// A code that is entered many times at once signs in once.
pub async fn a_code_that_is_entered_at_once_signs_in_once(store: Arc<dyn Store>) {
    let race = Race::each(&store).await.remove(0);
    race.member(0, "ada", Role::Organizer).await;
    let browser = Secret::generate();
    let right = race.code(&browser, "ada").await;
    let results = enter_at_once(&race, &browser, &right).await;
    assert_eq!((count(&results, None), count(&results, Some(&Error::CodeGone))), (1, 19));
}
