import CaffeFormat
import Foundation
import Graph
import KerasFormat
import ModelFormat
import NCNNFormat
import ONNXFormat
import TensorFlowLiteFormat

/// The model formats that Atelier can read: Core ML's formats and those of other frameworks.
public enum ModelReaders {
  /// The readers of formats other than Core ML's. The first reader that recognises a file reads it.
  public static let foreign: [any ModelReader.Type] = [
    ONNXReader.self, TensorFlowLiteReader.self, KerasReader.self, CaffeReader.self, NCNNReader.self,
  ]

  /// All readers. The first reader that recognises a file reads it.
  public static let all: [any ModelReader.Type] = foreign + [CoreMLReader.self]

  /// Returns the reader for a file in a format other than Core ML's. Nil if no such reader recognises the file.
  public static func foreignReader(of url: URL) -> (any ModelReader.Type)? {
    let head: [UInt8] = head(of: url)
    return foreign.first { $0.recognizes(url, head: head) }
  }

  /// Reads a model in any known format.
  ///
  /// - Throws: `EngineError` or `ModelFormatError` if no reader recognises the file, if the file is damaged, or if a
  ///   graph cannot express the file's content.
  public static func read(_ url: URL, options: ReadingOptions = ReadingOptions()) throws
    -> GraphModel
  {
    let head: [UInt8] = head(of: url)
    // If no reader recognises the file, Core ML's reader throws an error that says what kind of file it is.
    let reader: any ModelReader.Type =
      all.first { $0.recognizes(url, head: head) } ?? CoreMLReader.self
    return try reader.read(url, options: options)
  }

  /// Returns the first 64 bytes of a file, or no bytes for folders and unreadable files.
  private static func head(of url: URL) -> [UInt8] {
    var status = stat()
    guard stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = try? FileHandle(forReadingFrom: url)
    else { return [] }
    defer { try? file.close() }
    return Array((try? file.read(upToCount: 64)) ?? Data())
  }
}
