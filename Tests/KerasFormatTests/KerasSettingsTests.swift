import Engine
import Foundation
import Graph
import NetworkRuns
import Testing

@testable import KerasFormat

/// Compares our results with those of Keras on TensorFlow (Expected/make_settings.py), for pairs of settings,
/// operations on tensors, and functions of TensorFlow. The tolerance is 5e-4 of the largest magnitude.
@Suite struct KerasSettingsTests {
  static let cases: [KerasLayerTests.Case] = {
    let url = KerasRun.expected.appendingPathComponent("settings.json")
    return (try? JSONDecoder().decode([KerasLayerTests.Case].self, from: Data(contentsOf: url)))
      ?? []
  }()

  @Test func `The recorded results are present`() { #expect(Self.cases.count > 80) }

  @Test(arguments: cases)
  func `Pairs of settings match Keras`(_ item: KerasLayerTests.Case) throws {
    let model: GraphModel = try KerasRun.inFolder(item.data) { folder in
      let name: String = try #require(item.files.keys.first)
      return try KerasReader.read(folder.appendingPathComponent(name), options: ReadingOptions())
    }
    let inputs: [ReferenceTensor] = item.inputs.map {
      ReferenceTensor(Shape($0.shape), $0.values ?? [])
    }
    let made: [ReferenceTensor] = try model.run(inputs)
    #expect(made.count == item.outputs.count)
    for (made, expected) in zip(made, item.outputs) {
      // A scalar is stored as a vector with one element.
      #expect(made.shape.dimensions == (expected.shape.isEmpty ? [1] : expected.shape))
      let difference: Double = made.difference(from: expected.values ?? [])
      #expect(difference < 5e-4, "\(difference)")
    }
  }

  // MARK: - Refusals

  /// Builds a Keras 3 model with one layer, without weights.
  static func model(
    _ type: String, _ settings: String = "", module: String = "keras.layers",
    call: String = "", arguments: String? = nil, shape: String = "[null, 4, 3]"
  ) -> Data {
    let tensor =
      "{\"class_name\": \"__keras_tensor__\", \"config\": {\"shape\": \(shape), \"dtype\": \"float32\", \"keras_history\": [\"x\", 0, 0]}}"
    return Data(
      """
      {"module": "keras", "class_name": "Functional", "config": {"name": "m", "layers": [
        {"class_name": "InputLayer", "name": "x", "inbound_nodes": [],
          "config": {"batch_shape": \(shape), "dtype": "float32", "sparse": false, "name": "x"}},
        {"module": "\(module)", "class_name": "\(type)", "name": "l", "config": {"name": "l"\(settings)},
          "inbound_nodes": [{"args": [\(arguments?.replacing("TENSOR", with: tensor) ?? tensor)], "kwargs": {\(call)}}]}],
        "input_layers": [["x", 0, 0]], "output_layers": [["l", 0, 0]]}}
      """.utf8)
  }

  func read(_ data: Data) throws -> GraphModel {
    try KerasRun.inFolder(["m.json": data]) {
      try KerasReader.read($0.appendingPathComponent("m.json"), options: ReadingOptions())
    }
  }

  func sentence(_ data: Data) -> String {
    do {
      _ = try read(data)
      return ""
    } catch let error as EngineError {
      return error.message
    } catch {
      return "another error: \(error)"
    }
  }

  @Test(
    arguments: [
      ("UnitNormalization", ", \"wobble\": 3", "UnitNormalization 'l': the setting 'wobble' is 3"),
      ("BatchNormalization", ", \"renorm\": true", "the setting 'renorm' is true, expected false"),
      ("LayerNormalization", ", \"rms_scaling\": true", "'rms_scaling' is true"),
      ("LSTM", ", \"units\": 2, \"stateful\": true", "LSTM 'l': the setting 'stateful' is true"),
      (
        "Dense",
        ", \"units\": 2, \"dtype\": {\"class_name\": \"QuantizedDTypePolicy\", \"config\": {\"name\": \"int8_from_float32\"}}",
        "'QuantizedDTypePolicy int8_from_float32'"
      ),
      ("MultiHeadAttention", ", \"use_gate\": true", "'use_gate' is true"),
      ("ReLU", ", \"slope\": 0.1", "'slope' is 0.1"),
      ("Add", ", \"axis\": 1", "'axis' is 1"),
    ])
  func `An unsupported setting is refused by name`(
    _ type: String, _ settings: String, _ expected: String
  ) {
    let found: String = sentence(Self.model(type, settings))
    #expect(found.contains(expected), "\(found)")
  }

  @Test(
    arguments: [
      ("Softmax", "\"mask\": [TENSOR]", "the argument 'mask' (a list of 1)"),
      ("MultiHeadAttention", "\"use_causal_mask\": true", "'use_causal_mask' (True)"),
      ("Softmax", "\"axis\": 2", "'axis' (2)"),
    ])
  func `An unsupported call argument is refused by name`(
    _ type: String, _ call: String, _ expected: String
  ) {
    let found: String = sentence(
      Self.model(type, call: call.replacing("TENSOR", with: "{\"class_name\": \"Other\"}")))
    #expect(found.contains(expected), "\(found)")
  }

  @Test func `Settings for training, and settings without effect, are ignored`() {
    let settings =
      ", \"axis\": -1, \"trainable\": true, \"activity_regularizer\": {\"class_name\": \"L2\"}, \"autocast\": true, \"wobble\": null, \"dtype\": {\"class_name\": \"DTypePolicy\", \"config\": {\"name\": \"mixed_float16\"}}"
    let call = "\"training\": true, \"mask\": null"
    #expect(sentence(Self.model("Softmax", settings, call: call)) == "")
  }

  @Test func `Keras 2 models keep a call with training enabled`() {
    let json = """
      {"class_name": "Functional", "keras_version": "2.9.0", "config": {"name": "m", "layers": [
        {"class_name": "InputLayer", "name": "x", "inbound_nodes": [], "config": {"batch_input_shape": [null, 4], "name": "x"}},
        {"class_name": "Dropout", "name": "l", "config": {"name": "l", "rate": 0.5},
          "inbound_nodes": [[["x", 0, 0, {"training": true}]]]}],
        "input_layers": [["x", 0, 0]], "output_layers": [["l", 0, 0]]}}
      """
    #expect(sentence(Data(json.utf8)).contains("the argument 'training' (True)"))
  }

  // MARK: - Operations

  @Test(
    arguments: [
      ("Einsum", ", \"subscripts\": \"abc->ac\"", nil, "the operation 'einsum' on tensors"),
      ("GetItem", "", "TENSOR, \"word\"", "'key' is 'word'"),
      ("Mean", ", \"axis\": 7", nil, "'axis' is [7], but its input has 3 axes"),
      ("Multiply", "", nil, "it is called without 'y'"),
      ("Clip", ", \"x_min\": 0, \"x_max\": 1, \"wobble\": 2", nil, "it is called with 'wobble'"),
    ] as [(String, String, String?, String)])
  func `An unsupported operation is refused by name`(
    _ type: String, _ settings: String, _ arguments: String?, _ expected: String
  ) {
    let found: String = sentence(
      Self.model(type, settings, module: "keras.src.ops.numpy", arguments: arguments))
    #expect(found.contains(expected), "\(found)")
    #expect(!found.contains("inputs, expected"))
  }

  @Test(
    arguments: [
      ("Subtract", "1.0, TENSOR", [1.0, 0, -1, -2]), ("Subtract", "TENSOR, 1.0", [-1, 0, 1, 2]),
      ("TrueDivide", "2, TENSOR", [.infinity, 2, 1, Double(Float(2) / 3)]),
      (
        "Add",
        "TENSOR, {\"class_name\": \"__numpy__\", \"config\": {\"value\": [1, 2, 3, 4], \"dtype\": \"float32\"}}",
        [1, 3, 5, 7]
      ),
      ("Power", "TENSOR, 2", [0, 1, 4, 9]), ("Maximum", "2.0, TENSOR", [2, 2, 2, 3]),
    ] as [(String, String, [Double])])
  func `A constant may be either operand of an operation`(
    _ type: String, _ arguments: String, _ want: [Double]
  )
    throws
  {
    let model = try read(
      Self.model(
        type, module: "keras.src.ops.numpy", arguments: arguments, shape: "[null, 4]"))
    #expect(try model.run([ReferenceTensor([1, 4], [0, 1, 2, 3])])[0].reals == want)
  }

  @Test func `An operation in a Keras 3 HDF5 file has no module`() throws {
    // `Add` is the name of a layer and of an operation. If the configuration states no module, the reader recognises a
    // layer by the setting `trainable`.
    func text(_ settings: String) -> Data {
      let data = Self.model("Add", settings, arguments: "TENSOR, 3.0", shape: "[null, 2]")
      return Data(
        String(decoding: data, as: UTF8.self).replacing("\"module\": \"keras.layers\", ", with: "")
          .utf8)
    }
    let model = try read(text(""))
    #expect(try model.run([ReferenceTensor([1, 2], [1, 2])])[0].reals == [4, 5])
    #expect(sentence(text(", \"trainable\": true")).contains("Add 'l': it is called with"))
  }

  @Test func `The backward layer of a bidirectional layer has separate settings`() {
    let walk =
      "\"class_name\": \"SimpleRNN\", \"config\": {\"name\": \"w\", \"units\": 2, \"go_backwards\": %, \"wobble\": &}}"
    func layer(_ name: String, _ backwards: String, _ wobble: String) -> String {
      "\"\(name)\": {" + walk.replacing("%", with: backwards).replacing("&", with: wobble)
    }
    let settings: String =
      ", \"merge_mode\": \"concat\", " + layer("layer", "false", "null") + ", "
      + layer("backward_layer", "true", "5")
    let found: String = sentence(Self.model("Bidirectional", settings))
    #expect(found.contains("the setting 'wobble' is 5"), "\(found)")
  }
}
