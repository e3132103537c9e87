import Foundation
import Graph

extension KerasSettings {
  /// Refuses settings that a layer's reader does not implement.
  ///
  /// - Throws: ``EngineError`` that names the setting.
  func check(_ fields: KnownFields) throws {
    try fields.joined(Self.everywhere).check(
      values.filter { !Self.isTrainingOnly($0.key) }.mapValues(Self.value), "setting")
    if let type = values["dtype"] { try Self.checkType(type) }
  }

  /// The settings that every layer may have and that do not change a trained model.
  private static let everywhere = KnownFields(
    ["dtype"],
    harmless: [
      "name", "trainable", "batch_input_shape", "batch_shape", "input_shape", "input_dim",
      "input_length", "input_dtype", "autocast", "weights", "seed", "init", "lora_rank",
      "lora_alpha", "build_input_shape", "shared_object_id",
    ])

  /// Returns whether a setting only says how training initialises or constrains weights.
  private static func isTrainingOnly(_ name: String) -> Bool {
    ["_initializer", "_regularizer", "_constraint"].contains { name.hasSuffix($0) }
  }

  /// Returns a JSON value in a form that readers can compare with a default value.
  static func value(_ value: Any) -> KnownFields.Value {
    switch value {
    case is NSNull: return .nothing
    case let number as NSNumber:
      return String(cString: number.objCType) == "c"
        ? .truth(number.boolValue) : .number(number.doubleValue)
    case let text as String: return .text(text)
    case let list as [Any]: return .list(list.map(Self.value))
    default: return .other("\(value)")
    }
  }

  /// Throws for data types with quantised weights. The graph computes layers of all other data types in float32.
  private static func checkType(_ type: Any) throws {
    var name: String?
    if let text = type as? String {
      name = text
    } else if let policy = type as? [String: Any] {
      let kind: String = policy["class_name"] as? String ?? ""
      name = (policy["config"] as? [String: Any])?["name"] as? String
      if !["DTypePolicy", "FloatDTypePolicy", "Policy", "PolicyV1"].contains(kind) {
        name = "\(kind) \(name ?? "")"
      }
    }
    guard let name else { return }
    let plain: Bool =
      ["float", "bfloat", "mixed_", "int", "uint", "bool", "string"].contains {
        name.hasPrefix($0)
      } && !name.contains("_from_")
    guard plain else {
      throw EngineError(
        .unsupported,
        "the setting 'dtype' is '\(name)', expected a plain type such as float32: quantised weights of Keras are not supported. Save the model before quantising it."
      )
    }
  }
}
