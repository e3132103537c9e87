import Foundation

/// A distance between two words.
public typealias NLDistance = Double

/// How an embedding measures distances.
public enum NLDistanceType: Int, Sendable {
  /// One minus the cosine of the angle between two vectors: 0…2.
  case cosine = 0
}

/// Words with their vectors.
///
/// There are no vectors for languages. An embedding is made from a dictionary that
/// ``write(_:language:revision:to:)`` wrote.
public final class NLEmbedding: NSObject {
  /// The language of the words.
  public let language: NLLanguage?
  /// The version that the writer of the file stated.
  public let revision: Int
  /// The number of components of each vector.
  public let dimension: Int

  /// The vectors, with length 1.
  private let directions: [String: [Double]]
  private let vectors: [String: [Double]]

  /// What ``write(_:language:revision:to:)`` writes, as a binary property list.
  private struct Contents: Codable {
    let language: String?
    let revision: Int
    let words: [String]
    let vectors: [[Double]]
  }

  /// Reads an embedding from a file that ``write(_:language:revision:to:)`` wrote.
  public init(contentsOf url: URL) throws {
    let data = try Data(contentsOf: url)
    guard let contents = try? PropertyListDecoder().decode(Contents.self, from: data) else {
      throw NLEmbeddingError(
        "'\(url.path)' is no embedding that NLEmbedding.write wrote on Linux; Apple's format is not published. Write"
          + " the dictionary of words again.")
    }
    let dimension: Int = contents.vectors.first?.count ?? 0
    guard contents.words.count == contents.vectors.count,
      contents.vectors.allSatisfy({ $0.count == dimension })
    else {
      throw NLEmbeddingError(
        "'\(url.path)' has \(contents.words.count) words and \(contents.vectors.count) vectors, expected one vector of"
          + " \(dimension) components for each word. Write the dictionary of words again.")
    }
    self.dimension = dimension
    language = contents.language.map { NLLanguage($0) }
    revision = contents.revision
    vectors = Dictionary(zip(contents.words, contents.vectors)) { first, _ in first }
    directions = vectors.mapValues(Self.direction)
  }

  /// Writes an embedding of words, beside the file first.
  ///
  /// - Throws: If there are no words, or their vectors have different numbers of components.
  public class func write(
    _ dictionary: [String: [Double]], language: NLLanguage?, revision: Int, to url: URL
  ) throws {
    let words: [String] = dictionary.keys.sorted()
    let counts = Set(dictionary.values.map(\.count))
    guard counts.count == 1, let count = counts.first, count > 0 else {
      throw NLEmbeddingError(
        "The vectors of an embedding have \(counts.sorted()) components, expected one number above 0 for all words."
      )
    }
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let contents = Contents(
      language: language?.rawValue, revision: revision, words: words,
      vectors: words.compactMap { dictionary[$0] })
    try encoder.encode(contents).write(to: url, options: .atomic)
  }

  /// Always nil: there are no vectors for languages.
  public class func wordEmbedding(for language: NLLanguage) -> NLEmbedding? { nil }

  /// Always nil: there are no vectors for languages.
  public class func wordEmbedding(for language: NLLanguage, revision: Int) -> NLEmbedding? { nil }

  /// Always nil: there is no network for sentences.
  public class func sentenceEmbedding(for language: NLLanguage) -> NLEmbedding? { nil }

  /// Always nil: there is no network for sentences.
  public class func sentenceEmbedding(
    for language: NLLanguage, revision: Int
  ) -> NLEmbedding? { nil }

  /// The number of words.
  public var vocabularySize: Int { vectors.count }

  /// Whether a word has a vector.
  public func contains(_ string: String) -> Bool { vectors[string] != nil }

  /// The vector of a word. Nil if the word has none.
  public func vector(for string: String) -> [Double]? { vectors[string] }

  /// The distance between two words; 2 if one has no vector.
  public func distance(
    between first: String, and second: String, distanceType: NLDistanceType = .cosine
  ) -> NLDistance {
    guard let left = directions[first], let right = directions[second] else { return 2 }
    return Self.distance(left, right)
  }

  /// Returns the nearest words to a word, without it, nearest first. Empty if the word has no vector.
  public func neighbors(
    for string: String, maximumCount: Int, distanceType: NLDistanceType = .cosine
  ) -> [(String, NLDistance)] {
    guard let direction = directions[string] else { return [] }
    return nearest(to: direction, maximumCount, except: string)
  }

  /// Returns the nearest words to a vector, nearest first. Empty if the vector has another number of components.
  public func neighbors(
    for vector: [Double], maximumCount: Int, distanceType: NLDistanceType = .cosine
  ) -> [(String, NLDistance)] {
    vector.count == dimension ? nearest(to: Self.direction(vector), maximumCount, except: nil) : []
  }

  /// Calls a closure with the nearest words to a word, nearest first, until the closure returns false.
  public func enumerateNeighbors(
    for string: String, maximumCount: Int, distanceType: NLDistanceType = .cosine,
    using block: (String, NLDistance) -> Bool
  ) {
    for (word, distance) in neighbors(for: string, maximumCount: maximumCount) {
      guard block(word, distance) else { return }
    }
  }

  private func nearest(
    to direction: [Double], _ count: Int, except word: String?
  ) -> [(String, NLDistance)] {
    let all: [(String, NLDistance)] = directions.compactMap {
      $0.key == word ? nil : ($0.key, Self.distance($0.value, direction))
    }
    return Array(all.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(max(0, count)))
  }

  private static func direction(_ vector: [Double]) -> [Double] {
    let length: Double = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return length > 0 ? vector.map { $0 / length } : vector
  }

  private static func distance(_ left: [Double], _ right: [Double]) -> NLDistance {
    1 - zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
  }
}

/// An error of an embedding's file.
public struct NLEmbeddingError: Error, LocalizedError, Sendable {
  /// One sentence.
  public let message: String

  init(_ message: String) { self.message = message }

  /// The message.
  public var errorDescription: String? { message }
}
