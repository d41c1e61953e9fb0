//! Races of codes and sign-ins, on every store.

use std::sync::Arc;

use super::races::Race;
use crate::*;

/// Signing out everywhere ends each sign-in that was committed before it, and no later sign-in.
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

/// Enters a code in both processes at once, in the same browser. Returns the error of each, `None` if it signs in.
async fn enter(race: &Race, browser: &Secret, code: &Code) -> [Option<Error>; 2] {
    let [here, there] = [0, 1].map(|process| {
        let (people, browser, code) = (race.services[process].people(), browser.clone(), code.clone());
        async move { people.sign_in(&browser, &code, None).await.err() }
    });
    race.run(here, there).await.into()
}

/// All processes together accept five tries of a code.
pub async fn a_code_has_five_tries_in_all_processes_together(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        race.member(0, "ada", Role::Organizer).await;
        let (browser, wrong) = (Secret::generate(), "aaaaaaaa".parse().unwrap());
        let right = race.code(&browser, "ada").await;
        for expected in [Error::WrongCode, Error::WrongCode, Error::CodeGone] {
            let found = enter(&race, &browser, &wrong).await;
            assert_eq!(found, [Some(expected.clone()), Some(expected)], "{:?}", race.places);
        }
        let late = race.services[1].people().sign_in(&browser, &right, None).await;
        assert_eq!(late.err(), Some(Error::CodeGone), "the right code");
    }
}

/// If a code is entered twice at once, one call signs in.
pub async fn one_of_two_simultaneous_uses_of_a_code_signs_in(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        race.member(0, "ada", Role::Organizer).await;
        let browser = Secret::generate();
        let right = race.code(&browser, "ada").await;
        let mut found = enter(&race, &browser, &right).await;
        found.sort_by_key(Option::is_some);
        assert_eq!(found, [None, Some(Error::CodeGone)], "{:?}", race.places);
    }
}
