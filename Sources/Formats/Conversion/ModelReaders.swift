import CaffeFormat
import Foundation
import Graph
import KerasFormat
import ModelFormat
import ONNXFormat
import TensorFlowLiteFormat

/// The formats that are read: Core ML's own and others'.
public enum ModelReaders {
  /// The readers of other formats, in the order in which they are asked.
  public static let foreign: [any ModelReader.Type] = [
    ONNXReader.self, TensorFlowLiteReader.self, KerasReader.self, CaffeReader.self,
  ]

  /// All readers, in the order in which they are asked.
  public static let all: [any ModelReader.Type] = foreign + [CoreMLReader.self]

  /// The reader of a file of another format than Core ML's; nil where none of them knows it.
  public static func foreignReader(of url: URL) -> (any ModelReader.Type)? {
    let head: [UInt8] = head(of: url)
    return foreign.first { $0.recognizes(url, head: head) }
  }

  /// Reads a model of any format that is known.
  ///
  /// - Throws: `EngineError` or `ModelFormatError`, a sentence, where no reader knows the file, the file is
  ///   damaged, or holds what cannot be expressed.
  public static func read(_ url: URL, options: ReadingOptions = ReadingOptions()) throws
    -> GraphModel
  {
    let head: [UInt8] = head(of: url)
    // A file that nobody knows is Core ML's reader's to refuse: it says what the file is instead.
    let reader: any ModelReader.Type =
      all.first { $0.recognizes(url, head: head) } ?? CoreMLReader.self
    return try reader.read(url, options: options)
  }

  /// The first bytes of a file; none of a folder, and of what cannot be read.
  private static func head(of url: URL) -> [UInt8] {
    var status = stat()
    guard stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = try? FileHandle(forReadingFrom: url)
    else { return [] }
    defer { try? file.close() }
    return Array((try? file.read(upToCount: 64)) ?? Data())
  }
}
