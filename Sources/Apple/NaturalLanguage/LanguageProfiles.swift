/// How often the languages of one script use each sequence of one, two or three letters.
struct LanguageProfiles: Sendable {
  /// The languages, in the order of the columns of `levels`.
  let languages: [NLLanguage]
  /// The row of each sequence. A sequence of letters is packed into one number, 21 bits a letter.
  private let rows: [UInt64: Int]
  /// Negative binary logarithms of the frequencies, in quarters, by row and language.
  private let levels: [UInt8]

  /// The space before and after a word.
  static let boundary: Unicode.Scalar = "_"

  /// The profiles of a script. Nil if one language or none is written in it.
  static subscript(script: TextScript) -> LanguageProfiles? { all[script] }

  private static let all: [TextScript: LanguageProfiles] = Dictionary(
    uniqueKeysWithValues: data.map { ($0.script, LanguageProfiles($0.languages)) })

  private init(_ texts: [(language: String, sequences: [String])]) {
    languages = texts.map { NLLanguage($0.language) }
    /// A sequence that is not in a profile is four times as rare as the rarest of it.
    let penalty = 8
    var entries: [(language: Int, key: UInt64, length: Int, level: Int)] = []
    var rarest: [[Int]] = texts.map { _ in [0, 0, 0, 0] }
    for (language, text) in texts.enumerated() {
      for (index, sequence) in text.sequences.enumerated() {
        let length: Int = index + 1
        var letters: [Unicode.Scalar] = []
        for scalar in sequence.unicodeScalars {
          guard letters.count == length else {
            letters.append(scalar)
            continue
          }
          let level = Int(scalar.value) - 0x30
          entries.append((language, Self.key(letters[...]), length, level))
          rarest[language][length] = max(rarest[language][length], level)
          letters.removeAll(keepingCapacity: true)
        }
      }
    }
    var rows: [UInt64: Int] = [:]
    var levels: [UInt8] = []
    for entry in entries {
      let row: Int
      if let known = rows[entry.key] {
        row = known
      } else {
        row = rows.count
        rows[entry.key] = row
        levels += rarest.map { UInt8(clamping: $0[entry.length] + penalty) }
      }
      levels[row * texts.count + entry.language] = UInt8(clamping: entry.level)
    }
    (self.rows, self.levels) = (rows, levels)
  }

  private static func key(_ letters: ArraySlice<Unicode.Scalar>) -> UInt64 {
    letters.reduce(0) { $0 << 21 | UInt64($1.value) }
  }

  /// Adds the logarithms of the probabilities of a text in each language, in quarters of a binary digit.
  ///
  /// For each position, the longest sequence that some profile contains counts.
  ///
  /// - Parameter letters: The words in small letters, with ``boundary`` before and after each.
  func add(_ letters: [Unicode.Scalar], to scores: inout [Double]) {
    for start in letters.indices {
      for length in [3, 2, 1] where start + length <= letters.count {
        let sequence: ArraySlice<Unicode.Scalar> = letters[start..<start + length]
        guard let row = rows[Self.key(sequence)] else { continue }
        for language in languages.indices {
          scores[language] -= Double(levels[row * languages.count + language])
        }
        break
      }
    }
  }
}
