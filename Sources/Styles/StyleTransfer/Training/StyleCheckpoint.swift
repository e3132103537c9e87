import Encryption
import Files
import Foundation
import ModelFormat
import ModelTools
import Training

/// The state that a training needs to resume with the same result as without an interruption.
///
/// A file begins with a line of text. The line states the format, and the lengths and the digest of the other parts.
/// The other parts are the header as JSON, and the trainer's state. The file is complete or absent.
struct StyleCheckpoint {
  /// The values that a resumed training must match, and the progress of the training.
  struct Header: Codable, Equatable {
    /// The settings of the training.
    var settings: StyleTrainingSettings
    /// The number of steps taken.
    var iteration: Int
    /// The digest of the painting's file.
    var painting: String
    /// The digest of the list of content pictures.
    var contents: String
    /// When the checkpoint was written.
    var date: Date
  }

  var header: Header
  var state: TrainerState

  /// Creates a checkpoint of a training.
  init(header: Header, state: TrainerState) {
    self.header = header
    self.state = state
  }

  private static let form = "atelier-style-checkpoint-1"

  /// Writes the checkpoint to a file.
  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let words: Data = try encoder.encode(header)
    var body = words
    body.append(contentsOf: state.bytes)
    var bytes = try Data(
      "\(Self.form) \(words.count) \(body.count) \(SHA256.hexDigest(of: body))\n".utf8)
    bytes.append(body)
    try TrainingFile.write(bytes, to: file)
  }

  /// Reads a file. Nil if it does not exist.
  init?(contentsOf file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    func damaged(_ reason: String) -> StyleTransferError {
      StyleTransferError(
        .file,
        "Checkpoint '\(file.path)' \(reason). Remove it and train from the start, or restore an"
          + " older one.")
    }
    guard let data = try? Data(contentsOf: file), let end = data.firstIndex(of: 0x0A) else {
      throw damaged("cannot be read")
    }
    let line = String(decoding: data[..<end], as: UTF8.self).split(separator: " ")
    guard line.count == 4, line[0] == Self.form, let words = Int(line[1]), let all = Int(line[2])
    else { throw damaged("is not a checkpoint, or is of another version") }
    let body = data[(end + 1)...]
    guard body.count == all, (0...all).contains(words), try SHA256.hexDigest(of: body) == line[3]
    else {
      throw damaged("is damaged: its digest does not match")
    }
    do {
      header = try JSONDecoder().decode(Header.self, from: body.prefix(words))
    } catch {
      throw damaged("cannot be decoded by this version")
    }
    state = try TrainerState(bytes: [UInt8](body.dropFirst(words)))
  }
}

/// Writes files of a training atomically.
enum TrainingFile {
  /// Writes bytes to a draft, then replaces the file with the draft.
  static func write(_ bytes: Data, to file: URL) throws {
    do {
      try WholeFile.write(bytes, to: file.path)
    } catch let error as FileError {
      throw StyleTransferError(
        .file, "'\(file.path)' cannot be \(error.task): \(error.reason).")
    }
  }
}
