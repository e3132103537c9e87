import CoreML
import Files
import Foundation
import Imaging
import ModelTools

/// Writes the files of `atelier predict --also`. Each layer gets two files: the layer's output as an array, and a
/// picture that shows the channels of the output side by side.
final class LayerFiles {
  private let folder: URL
  private var taken: Set<String> = []

  /// Makes the folder if it is missing.
  init(_ folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Writes a layer's output. Returns the paths of the files and the shape of the array.
  ///
  /// - Parameter name: The files' common name, without the extensions. If this object has already written files of this
  ///   name, a number is appended to the name.
  func write(_ array: MLMultiArray, name: String) throws -> (
    array: String, shape: [Int], picture: String?
  ) {
    var free: String = name
    var number: Int = 2
    while !taken.insert(free.lowercased()).inserted {
      free = "\(name)-\(number)"
      number += 1
    }
    let block = NumberBlock(array)
    let numbers: URL = folder.appendingPathComponent("\(free).npy")
    let data: Data = NumPyFile.data(block)
    try Interruption.protected { try WholeFile.write(data, to: numbers.path) }
    var path: String?
    if let sheet = ActivationSheet(shape: block.shape, values: block.values.map { Float($0) }) {
      let picture: URL = folder.appendingPathComponent("\(free).png")
      let data: Data = try sheet.picture().encoded(as: .png)
      try Interruption.protected { try Picture.writeAtomically(data, toFile: picture.path) }
      path = picture.path
    }
    return (numbers.path, block.shape, path)
  }
}
