import Files
import Foundation
import Imaging
import ModelFormat

/// The files that a training leaves: its checkpoint, its losses as a table and a picture, and
/// snapshots.
public struct StyleTrainingFolder: Sendable {
  /// The folder.
  public let url: URL

  /// A folder, which is made when something is written.
  public init(_ url: URL) { self.url = url }

  /// The folder of a model's training: `great-wave.training` beside `great-wave.mlmodel`.
  public init(of model: URL) {
    url = model.deletingPathExtension().appendingPathExtension("training")
  }

  /// What a training goes on from.
  public var checkpoint: URL { url.appendingPathComponent("checkpoint") }
  /// What it was trained with.
  public var settings: URL { url.appendingPathComponent("settings.json") }
  /// A row of losses a step.
  public var losses: URL { url.appendingPathComponent("losses.csv") }
  /// The losses as a picture.
  public var curve: URL { url.appendingPathComponent("losses.svg") }

  /// A model on the way.
  public func snapshotModel(_ iteration: Int) -> URL { snapshot(iteration, "mlmodel") }
  /// The validation picture, painted on the way.
  public func snapshotPicture(_ iteration: Int) -> URL { snapshot(iteration, "png") }

  private func snapshot(_ iteration: Int, _ ending: String) -> URL {
    let digits: String = String(iteration)
    let number: String = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    return url.appendingPathComponent("snapshot-\(number).\(ending)")
  }

  func make() throws {
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw StyleTransferError(
        .file,
        "The training's folder '\(url.path)' cannot be made. Choose another output.")
    }
  }

  /// Whether a training has left something here that another one would write over.
  public var holdsTraining: Bool { !traces.isEmpty }

  /// The files of a training that are here.
  private var traces: [URL] {
    let names: [String] = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    let fixed: Set<String> = Set([checkpoint, settings, losses, curve].map(\.lastPathComponent))
    return names.filter { name in
      fixed.contains(name)
        || name.hasPrefix("snapshot-") && (name.hasSuffix(".mlmodel") || name.hasSuffix(".png"))
    }.map { url.appendingPathComponent($0) }
  }

  /// Removes what a training has left; other files stay.
  func clear() throws {
    for file in traces {
      do {
        try FileManager.default.removeItem(at: file)
      } catch {
        throw StyleTransferError(
          .file, "'\(file.path)' of the training before cannot be removed. Choose another output.")
      }
    }
  }

  /// Makes the folder where it is missing, and takes the right to train into it.
  func lock() throws -> FolderLock {
    try make()
    do {
      return try FolderLock(url.path)
    } catch is FolderLock.Taken {
      throw StyleTransferError(
        .file,
        "Another training writes into '\(url.path)' now. Wait for its end, or choose another output."
      )
    } catch let error as FileError {
      throw StyleTransferError(
        .file,
        "The training's folder '\(url.path)' cannot be locked: \(error.reason). Choose another output."
      )
    }
  }

  /// The rows of losses up to a step; incomplete ones are left out.
  public func readLosses(upTo iteration: Int = .max) -> [StyleLosses] {
    guard let text = try? String(contentsOf: losses, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").dropFirst().compactMap { StyleLosses(row: $0) }
      .filter { $0.iteration <= iteration }
  }

  /// Writes the settings, for the gallery's cards and for people.
  func write(_ settings: StyleTrainingSettings, initialName: String?) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let record = Record(settings: settings, initial: initialName)
    try TrainingFile.write(try encoder.encode(record) + Data("\n".utf8), to: self.settings)
  }

  /// Settings with what they do not hold.
  private struct Record: Encodable {
    let settings: StyleTrainingSettings
    let initial: String?

    enum Key: CodingKey {
      case initial
    }

    func encode(to encoder: any Encoder) throws {
      try settings.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeIfPresent(initial, forKey: .initial)
    }
  }

  /// Writes the table and its picture.
  func write(_ rows: [StyleLosses], title: String) throws {
    let table: String = ([StyleLosses.columns] + rows.map(\.row)).joined(separator: "\n") + "\n"
    try TrainingFile.write(Data(table.utf8), to: losses)
    try TrainingFile.write(Data(LossCurve(rows, title: title).svg.utf8), to: curve)
  }
}
