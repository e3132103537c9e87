import Foundation

/// Finds the language of a text.
///
/// Scripts that only one language uses determine the language. Among the languages of the Latin, Cyrillic, Arabic and
/// Devanagari scripts and of Han characters, the frequencies of sequences of letters decide. Icelandic, Kazakh, Malay
/// and Mongolian in Cyrillic letters have no profiles, so the recognizer never finds these.
public final class NLLanguageRecognizer: NSObject {
  /// How probable languages are, independently of the text. Languages that are not listed share the rest.
  public var languageHints: [NLLanguage: Double] = [:]

  /// The only languages that may be found. Empty for all languages.
  public var languageConstraints: [NLLanguage] = []

  /// The number of letters of each script.
  private var counts: [TextScript: Int] = [:]
  /// The scores of the languages of a script, in the order of its profiles.
  private var scores: [TextScript: [Double]] = [:]

  /// Makes a recognizer that has seen no text.
  public override init() {}

  /// Returns the most probable language of a text. Nil if the text has no letters.
  public class func dominantLanguage(for string: String) -> NLLanguage? {
    let recognizer = NLLanguageRecognizer()
    recognizer.processString(string)
    return recognizer.dominantLanguage
  }

  /// Adds a text to those that determine the language.
  public func processString(_ string: String) {
    var words: [TextScript: [Unicode.Scalar]] = [:]
    var last: TextScript?
    for scalar in string.precomposedStringWithCanonicalMapping.lowercased().unicodeScalars {
      let script = TextScript(scalar)
      if let script { counts[script, default: 0] += 1 }
      if script != last {
        // A word ends between letters and other characters, and between scripts.
        if let last { words[last]?.append(LanguageProfiles.boundary) }
        if let script, words[script] == nil { words[script] = [LanguageProfiles.boundary] }
      }
      if let script { words[script]?.append(scalar) }
      last = script
    }
    if let last { words[last]?.append(LanguageProfiles.boundary) }
    for (script, letters) in words {
      guard let profiles = LanguageProfiles[script] else { continue }
      profiles.add(
        letters,
        to: &scores[script, default: [Double](repeating: 0, count: profiles.languages.count)])
    }
  }

  /// Forgets all texts.
  public func reset() {
    counts = [:]
    scores = [:]
  }

  /// The most probable language of the texts. Nil if they have no letters.
  public var dominantLanguage: NLLanguage? { ranking.first?.language }

  /// Returns the most probable languages with their probabilities.
  public func languageHypotheses(withMaximum maxHypotheses: Int) -> [NLLanguage: Double] {
    Dictionary(
      uniqueKeysWithValues: ranking.prefix(max(0, maxHypotheses)).map {
        ($0.language, $0.probability)
      })
  }

  /// The languages, most probable first.
  private var ranking: [(language: NLLanguage, probability: Double)] {
    var counts: [TextScript: Int] = self.counts
    // Japanese text mixes kana with Han characters, and Korean text may contain these, too.
    for script in [TextScript.kana, .hangul] {
      guard let own = counts[script], let han = counts[.han], own * 10 >= han else { continue }
      counts[script] = own + han
      counts[.han] = nil
    }
    let all = Double(counts.values.reduce(0, +))
    var probabilities: [NLLanguage: Double] = [:]
    for (script, count) in counts {
      let share: Double = Double(count) / all
      if let language = script.language {
        probabilities[language, default: 0] += share
      } else if let profiles = LanguageProfiles[script], let scores = scores[script] {
        for (language, probability) in zip(profiles.languages, Self.probabilities(scores)) {
          probabilities[language, default: 0] += share * probability
        }
      }
    }
    weigh(&probabilities)
    return probabilities.filter { $0.value > 0 }.map { (language: $0.key, probability: $0.value) }
      .sorted { ($1.probability, $0.language.rawValue) < ($0.probability, $1.language.rawValue) }
  }

  /// Returns probabilities that add up to 1.
  private static func probabilities(_ scores: [Double]) -> [Double] {
    // Sequences overlap, so the logarithms count every letter three times.
    let unit = 12.0
    let best: Double = scores.max() ?? 0
    let weights: [Double] = scores.map { exp2(($0 - best) / unit) }
    let sum: Double = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }

  /// Applies the constraints and the hints.
  private func weigh(_ probabilities: inout [NLLanguage: Double]) {
    if !languageConstraints.isEmpty {
      probabilities = probabilities.filter { languageConstraints.contains($0.key) }
    }
    if !languageHints.isEmpty {
      let others: Int = probabilities.keys.count { languageHints[$0] == nil }
      let rest: Double = max(0, 1 - languageHints.values.reduce(0, +)) / Double(max(1, others))
      for language in probabilities.keys {
        probabilities[language]? *= max(0, languageHints[language] ?? rest)
      }
    }
    let sum: Double = probabilities.values.reduce(0, +)
    guard sum > 0 else { return }
    for language in probabilities.keys { probabilities[language]? /= sum }
  }
}
