import Foundation

/// What a training left in its folder for the card: the settings and the last losses.
public struct TrainingRecord: Sendable, Equatable {
  /// How it was trained.
  public var settings: [String: CardValue] = [:]
  /// The losses at its end.
  public var losses: [String: Double] = [:]

  /// Reads `settings.json` (an object; what lies deeper gets dotted names) and the end of `losses.csv`:
  /// the means of the last twenty rows, as single steps differ by their photos. What is missing stays
  /// empty.
  public init(folder: URL) throws {
    let settings: URL = folder.appendingPathComponent("settings.json")
    if let data = try? Data(contentsOf: settings) {
      guard let object = try? JSONDecoder().decode([String: Nested].self, from: data) else {
        throw StyleTransferError(.file, "The settings '\(settings.path)' are no JSON object.")
      }
      for (key, value) in object { value.flatten(key, into: &self.settings) }
    }
    let losses: URL = folder.appendingPathComponent("losses.csv")
    if let text = try? String(contentsOf: losses, encoding: .utf8) {
      self.losses = Self.lastMeans(text)
    }
  }

  /// Takes settings from a value that can be written as a JSON object.
  public mutating func setSettings(_ value: some Encodable) throws {
    let data: Data = try JSONEncoder().encode(value)
    for (key, member) in try JSONDecoder().decode([String: Nested].self, from: data) {
      member.flatten(key, into: &settings)
    }
  }

  /// The means of the last rows of a table with a heading, without what is no number.
  static func lastMeans(_ text: String, rows count: Int = 20) -> [String: Double] {
    let rows: [[String]] = text.split(whereSeparator: \.isNewline).map { line in
      line.split(separator: ",", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    guard let heading = rows.first else { return [:] }
    let last: [[String]] = rows.dropFirst().suffix(count)
    var result: [String: Double] = [:]
    for (column, name) in heading.enumerated() {
      let values: [Double] = last.compactMap {
        $0.indices.contains(column) ? Double($0[column]) : nil
      }
      guard !values.isEmpty, values.count == last.count else { continue }
      let mean: Double = values.reduce(0, +) / Double(values.count)
      // Five digits are more than the next training would repeat.
      result[name] = Double(String(format: "%.5g", mean)) ?? mean
    }
    return result
  }

  private enum Nested: Decodable {
    case value(CardValue)
    case object([String: Nested])
    case nothing

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .nothing
      } else if let value = try? container.decode(CardValue.self) {
        self = .value(value)
      } else {
        self = (try? .object(container.decode([String: Nested].self))) ?? .nothing
      }
    }

    func flatten(_ name: String, into settings: inout [String: CardValue]) {
      switch self {
      case .value(let value): settings[name] = value
      case .object(let members):
        for (key, member) in members { member.flatten("\(name).\(key)", into: &settings) }
      case .nothing: break
      }
    }
  }
}
