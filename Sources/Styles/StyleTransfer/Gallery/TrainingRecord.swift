import Foundation

/// The settings and final losses of a training, for the description of its style.
public struct TrainingRecord: Sendable, Equatable {
  /// The settings of the training.
  public var settings: [String: SettingValue] = [:]
  /// The losses at the end of the training.
  public var losses: [String: Double] = [:]

  /// Reads the record from a training's folder. The settings come from the JSON object in `settings.json`, where nested
  /// keys get dotted names. The losses are the means of the last 20 rows of `losses.csv`, because the losses of a
  /// single step depend on its photos. If a file is missing, its values stay empty.
  public init(folder: URL) throws {
    let settings: URL = folder.appendingPathComponent("settings.json")
    if let data = try? Data(contentsOf: settings) {
      guard let object = try? JSONDecoder().decode([String: Nested].self, from: data) else {
        throw StyleTransferError(.file, "The settings '\(settings.path)' are not a JSON object.")
      }
      for (key, value) in object { value.flatten(key, into: &self.settings) }
    }
    let losses: URL = folder.appendingPathComponent("losses.csv")
    if let text = try? String(contentsOf: losses, encoding: .utf8) {
      self.losses = Self.lastMeans(text)
    }
  }

  /// Replaces the settings by the fields of a value, which must encode to a JSON object.
  public mutating func setSettings(_ value: some Encodable) throws {
    let data: Data = try JSONEncoder().encode(value)
    for (key, member) in try JSONDecoder().decode([String: Nested].self, from: data) {
      member.flatten(key, into: &settings)
    }
  }

  /// Returns the mean of each column over the last `count` rows of a table with a heading. Skips cells that are not
  /// numbers.
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
      // Five digits are enough: if the training were repeated, earlier digits would already differ.
      result[name] = Double(String(format: "%.5g", mean)) ?? mean
    }
    return result
  }

  private enum Nested: Decodable {
    case value(SettingValue)
    case object([String: Nested])
    case nothing

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .nothing
      } else if let value = try? container.decode(SettingValue.self) {
        self = .value(value)
      } else {
        self = (try? .object(container.decode([String: Nested].self))) ?? .nothing
      }
    }

    func flatten(_ name: String, into settings: inout [String: SettingValue]) {
      switch self {
      case .value(let value): settings[name] = value
      case .object(let members):
        for (key, member) in members { member.flatten("\(name).\(key)", into: &settings) }
      case .nothing: break
      }
    }
  }
}
