import Files
import Foundation
import ModelTools
import Platform
import StyleTransfer

/// The training data, the settings and the folder of a style's training session. These values suffice to restore the
/// session.
struct SessionPlan: Sendable {
  /// The content of the file `session.json` in the folder.
  struct Record: Codable, Sendable {
    var styleImage: URL
    var contentDirectory: URL
    var processingOption: UInt?
    var settings: StyleTrainingSettings
    var validation: URL?
    var date: Date
  }

  let record: Record
  let folder: StyleTrainingFolder
  /// The file of the network that computes the losses. Tests use a smaller network.
  var features: URL = FetchableModel.vgg16.file()

  private static let fileName = "session.json"

  /// Makes a plan and writes the record into the folder. If `directory` is nil, makes a temporary folder.
  init(_ record: Record, directory: URL?) throws {
    self.record = record
    folder = StyleTrainingFolder(
      directory
        ?? FileManager.default.temporaryDirectory.appendingPathComponent(
          "createml-\(UUID().uuidString)", isDirectory: true))
    do {
      try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
      try WholeFile.write(
        JSONEncoder().encode(record), to: folder.url.appendingPathComponent(Self.fileName).path)
    } catch {
      throw MLCreateError.io(
        reason:
          "The session's folder '\(folder.url.path)' cannot be written: \(ErrorSentence.reason(of: error))."
      )
    }
  }

  /// Reads the plan in a folder. Returns nil if the folder contains no plan.
  init?(in directory: URL) throws {
    let file: URL = directory.appendingPathComponent(Self.fileName)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      record = try JSONDecoder().decode(Record.self, from: Data(contentsOf: file))
    } catch {
      throw MLCreateError.io(
        reason: "'\(file.path)' is not a session of Create ML: \(ErrorSentence.reason(of: error)).")
    }
    folder = StyleTrainingFolder(directory)
  }

  /// The number of finished iterations, read from the checkpoint in the folder. 0 if there is no checkpoint.
  var iteration: Int {
    (try? StyleTraining.checkpoint(in: folder))?.flatMap { $0.iteration } ?? 0
  }

  /// Returns the checkpoints in the folder. Leaves out checkpoints without a model file.
  func checkpoints() -> [MLCheckpoint] {
    let rows: [StyleLosses] = folder.readLosses()
    return rows.compactMap { row -> MLCheckpoint? in
      let file: URL = folder.snapshotModel(row.iteration)
      guard
        let date = try? file.resourceValues(forKeys: [.contentModificationDateKey])
          .contentModificationDate
      else { return nil }
      return checkpoint(row, date: date)
    }
  }

  /// Makes the checkpoint of an iteration from the row of the iteration's losses.
  func checkpoint(_ row: StyleLosses, date: Date) -> MLCheckpoint {
    MLCheckpoint(
      url: folder.snapshotModel(row.iteration), phase: .training, iteration: row.iteration,
      date: date, metrics: metrics(row))
  }

  /// Returns the metrics of an iteration: its losses, and the stylised validation image if it exists.
  func metrics(_ row: StyleLosses) -> [MLProgress.Metric: Any] {
    var metrics: [MLProgress.Metric: Any] = [
      .loss: row.total, .styleLoss: row.style, .contentLoss: row.content,
    ]
    let picture: URL = folder.snapshotPicture(row.iteration)
    if FileManager.default.fileExists(atPath: picture.path) {
      metrics[.stylizedImageURL] = picture
    }
    return metrics
  }
}
