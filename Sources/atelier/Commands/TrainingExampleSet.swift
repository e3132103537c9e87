import Arguments
import CoreML
import Foundation
import Imaging
import Tables

/// The examples of `atelier update`, read from a folder or a table.
struct TrainingExampleSet {
  /// The examples. Those of a folder are sorted by label and then by file name. Those of a table are in the order of
  /// the rows.
  let batch: MLArrayBatchProvider

  private let features: [String: MLFeatureDescription]
  private let cropAndScale: CropAndScale

  /// Reads the examples for the training inputs of a model.
  init(_ path: String, for model: MLModelDescription, cropAndScale: CropAndScale) throws {
    features = model.trainingInputDescriptionsByName
    self.cropAndScale = cropAndScale
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CommandError("Examples '\(path)': there is no such folder or table. Check the path.")
    }
    let examples: [[String: MLFeatureValue]] =
      isFolder.boolValue
      ? try Self.folder(path, features, cropAndScale)
      : try Self.table(path, features, cropAndScale)
    batch = MLArrayBatchProvider(
      array: try examples.map { try MLDictionaryFeatureProvider(dictionary: $0) })
  }

  /// Reads `DIR/LABEL/PICTURE`, for models with a picture and a label as training inputs.
  private static func folder(
    _ path: String, _ features: [String: MLFeatureDescription], _ mode: CropAndScale
  ) throws -> [[String: MLFeatureValue]] {
    let pictures = features.values.filter { $0.type == .image }
    let labels = features.values.filter { $0.type == .string || $0.type == .int64 }
    guard features.count == 2, let picture = pictures.first, let label = labels.first,
      let constraint = picture.imageConstraint
    else {
      throw CommandError(
        "The model learns from \(sentence(features)), not from a picture and a label, so a folder"
          + " of pictures cannot be used. Give a CSV table with a header that names these"
          + " features.")
    }
    let manager = FileManager.default
    var examples: [[String: MLFeatureValue]] = []
    for name in try manager.contentsOfDirectory(atPath: path).sorted() where !name.hasPrefix(".") {
      let folder = (path as NSString).appendingPathComponent(name)
      var isFolder: ObjCBool = false
      guard manager.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
        continue
      }
      let value = try value(name, label, mode, source: "the folder's name for '\(label.name)'")
      for file in try manager.contentsOfDirectory(atPath: folder).sorted()
      where PhotoSearch.extensions.contains(URL(fileURLWithPath: file).pathExtension.lowercased())
        && !file.hasPrefix(".")
      {
        let photo = try Picture(
          contentsOfFile: (folder as NSString).appendingPathComponent(file))
        let pixels = try InputValue.picture(
          photo, width: constraint.pixelsWide, height: constraint.pixelsHigh,
          constraint: constraint, cropAndScale: mode)
        examples.append([picture.name: pixels, label.name: value])
      }
    }
    guard !examples.isEmpty else {
      throw CommandError(
        "Folder '\(path)' has no examples: expected a folder for each label with pictures in it.")
    }
    return examples
  }

  /// Reads a table. The header names the features. The columns `NAME[0]`, `NAME[1]`, … are the elements of an array.
  private static func table(
    _ path: String, _ features: [String: MLFeatureDescription], _ mode: CropAndScale
  ) throws -> [[String: MLFeatureValue]] {
    let table = try CSVTable(contentsOfFile: path)
    let columns: [String: [Int]] = try columns(of: table, path, features)
    let home: String = (path as NSString).deletingLastPathComponent
    return try table.rows.enumerated().map { (index, row) throws -> [String: MLFeatureValue] in
      var values: [String: MLFeatureValue] = [:]
      for feature in features.values {
        guard let indices = columns[feature.name] else { continue }
        var text: String = indices.map { row[$0] }.joined(separator: ",")
        if feature.type == .image { text = (home as NSString).appendingPathComponent(text) }
        values[feature.name] = try value(
          text, feature, mode, source: "row \(index + 1) of '\(path)': '\(feature.name)'")
      }
      return values
    }
  }

  /// Returns, for each feature, the indices of its columns in the table.
  private static func columns(
    of table: CSVTable, _ path: String, _ features: [String: MLFeatureDescription]
  ) throws -> [String: [Int]] {
    var columns: [String: [Int]] = [:]
    for feature in features.values.sorted(by: { $0.name < $1.name }) {
      if let column = table.header.firstIndex(of: feature.name) {
        columns[feature.name] = [column]
        continue
      }
      var indices: [Int] = []
      while let column = table.header.firstIndex(of: "\(feature.name)[\(indices.count)]") {
        indices.append(column)
      }
      guard !indices.isEmpty || feature.isOptional else {
        throw CommandError(
          "Table '\(path)' has no column '\(feature.name)'; the model learns from "
            + "\(sentence(features)), and the header names "
            + "\(table.header.map { "'\($0)'" }.joined(separator: ", ")).")
      }
      if !indices.isEmpty { columns[feature.name] = indices }
    }
    return columns
  }

  private static func value(
    _ text: String, _ feature: MLFeatureDescription, _ mode: CropAndScale, source: String
  ) throws -> MLFeatureValue {
    do {
      return try InputValue.make(text, feature, cropAndScale: mode, source: source)
    } catch let error as UsageError {
      throw CommandError("\(error)")
    }
  }

  private static func sentence(_ features: [String: MLFeatureDescription]) -> String {
    features.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
  }
}
