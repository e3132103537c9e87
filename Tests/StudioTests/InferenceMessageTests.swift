import Foundation
import Testing

@testable import Service

@Suite("Messages of the Open Inference Protocol")
struct InferenceMessageTests {
  private func message(_ json: String, _ binary: [UInt8] = []) throws -> InferenceMessage {
    let text = Data(json.utf8)
    return try InferenceMessage(text + binary, headerLength: binary.isEmpty ? nil : "\(text.count)")
  }

  private func input(_ type: String, _ shape: String, _ rest: String) -> String {
    #"{"inputs": [{"name": "x", "datatype": "\#(type)", "shape": \#(shape), \#(rest)}]}"#
  }

  @Test(
    "Numbers of JSON get the bits of their type",
    arguments: [
      ("FP32", "[1.5, -0.0]", [0, 0, 0xC0, 0x3F, 0, 0, 0, 0x80]),
      ("FP16", "[1, -2]", [0, 0x3C, 0, 0xC0]),
      ("FP64", "[1]", [0, 0, 0, 0, 0, 0, 0xF0, 0x3F]),
      ("INT8", "[-1, 127]", [0xFF, 0x7F]), ("UINT8", "[255, 0]", [255, 0]),
      ("INT16", "[[-2], [1]]", [0xFE, 0xFF, 1, 0]), ("UINT16", "[65535]", [0xFF, 0xFF]),
      ("UINT32", "[4294967295]", [255, 255, 255, 255]), ("INT32", "[-1]", [255, 255, 255, 255]),
      ("INT64", "[-9223372036854775808]", [0, 0, 0, 0, 0, 0, 0, 0x80]),
      ("UINT64", "[18446744073709551615]", [UInt8](repeating: 255, count: 8)),
      ("INT64", "[9007199254740993]", [1, 0, 0, 0, 0, 0, 0x20, 0]),
      ("BOOL", "[true, false]", [1, 0]),
      ("BYTES", #"["a", ""]"#, [1, 0, 0, 0, 97, 0, 0, 0, 0]),
    ] as [(String, String, [UInt8])])
  func numbers(_ type: String, _ data: String, _ expected: [UInt8]) throws {
    let size = InferenceTensor.DataType(rawValue: type)?.byteCount
    let count = size.map { expected.count / $0 } ?? 2
    let found = try message(input(type, "[\(count)]", #""data": \#(data)"#))
    #expect(Array(found.inputs[0].content) == expected)
  }

  @Test("Binary data is divided among the inputs, and names choose outputs")
  func binary() throws {
    let json = """
      {"id": "7", "parameters": {"binary_data_output": true, "pictures": "array"}, "inputs": [
        {"name": "a", "datatype": "INT16", "shape": [2], "parameters": {"binary_data_size": 4}},
        {"name": "b", "datatype": "UINT8", "shape": [1], "data": [9]},
        {"name": "c", "datatype": "BYTES", "shape": [2], "parameters": {"binary_data_size": 11}}],
       "outputs": [{"name": "y"}, {"name": "z", "parameters": {"binary_data": false}}]}
      """
    let found = try message(json, [1, 2, 3, 4, 3, 0, 0, 0, 97, 98, 99, 0, 0, 0, 0])
    #expect(found.id == "7")
    #expect(found.wantsPixels)
    #expect(found.inputs.map { Array($0.content) }[0...1] == [[1, 2, 3, 4], [9]])
    #expect(try found.inputs[2].elements() == [Data("abc".utf8), Data()])
    #expect(
      found.outputs == [.init(name: "y", isBinary: true), .init(name: "z", isBinary: false)])
  }

  @Test("Base64 elements are decoded")
  func base64() throws {
    let found = try message(
      input("BYTES", "[1]", #""data": ["iVBO"], "parameters": {"content_type": "base64"}"#))
    #expect(try found.inputs[0].elements() == [Data([0x89, 0x50, 0x4E])])
  }

  @Test(
    "Malformed messages are refused with a sentence",
    arguments: [
      "", "[]", "{}", "{", #"{"inputs": []}"#, #"{"inputs": {}}"#, #"{"inputs": [1]}"#,
      #"{"inputs": [{"name": "x"}]}"#, #"{"inputs": [{"datatype": "FP32"}]}"#,
      #"{"id": 1, "inputs": [{"name": "x", "datatype": "INT8", "shape": [1], "data": [1]}]}"#,
    ])
  func malformed(_ json: String) throws {
    let error = #expect(throws: HTTPError.self) { try message(json) }
    #expect(error?.status == 400)
    #expect(error?.message.hasSuffix(".") == true)
  }

  @Test(
    "Tensors that are not as they say are refused with a sentence",
    arguments: [
      ("FP33", "[1]", #""data": [1]"#), ("FP32", "[2]", #""data": [1]"#),
      ("FP32", "[-1]", #""data": [1]"#), ("FP32", "1", #""data": [1]"#),
      ("FP32", "[1.5]", #""data": [1]"#), ("FP32", "[true]", #""data": [1]"#),
      ("FP32", "[4611686018427387904, 4]", #""data": [1]"#), ("FP32", "[1]", #""data": 1"#),
      ("FP32", "[1]", #""data": [1e39]"#), ("FP16", "[1]", #""data": [65520]"#),
      ("FP32", "[1]", #""data": ["1"]"#), ("FP32", "[1]", #""data": [true]"#),
      ("FP32", "[1]", #""data": [null]"#), ("INT8", "[1]", #""data": [128]"#),
      ("INT8", "[1]", #""data": [1.5]"#), ("UINT8", "[1]", #""data": [-1]"#),
      ("BOOL", "[1]", #""data": [1]"#), ("BYTES", "[1]", #""data": [1]"#),
      ("INT64", "[1]", #""data": [18446744073709551615]"#),
      ("FP32", "[1]", #""parameters": {"binary_data_size": 4}"#),
      ("FP32", "[1]", #""parameters": {"binary_data_size": -1}"#),
      ("FP32", "[1]", #""parameters": []"#), ("FP32", "[1]", #""parameters": {}"#),
      ("BYTES", "[1]", #""data": ["?"], "parameters": {"content_type": "base64"}"#),
      ("BYTES", "[1]", #""data": ["a"], "parameters": {"content_type": "png"}"#),
    ])
  func wrong(_ type: String, _ shape: String, _ rest: String) throws {
    let error = #expect(throws: HTTPError.self) { try message(input(type, shape, rest)) }
    #expect(error?.status == 400)
  }

  @Test(
    "Binary data that does not fit is refused",
    arguments: [([1, 2, 3], 4), ([1, 2, 3, 4, 5], 4), ([1, 2, 3, 4], 3), ([1, 2, 3, 4], 99)]
      as [([UInt8], Int)])
  func badBinary(_ bytes: [UInt8], _ size: Int) throws {
    let json = input("FP32", "[1]", #""parameters": {"binary_data_size": \#(size)}"#)
    #expect(throws: HTTPError.self) { try message(json, bytes) }
  }

  @Test("A tensor of bytes with a wrong length of an element is refused")
  func badElements() throws {
    for bytes: [UInt8] in [[1, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 1], [1, 0], [0, 0, 0, 0, 0]] {
      #expect(throws: HTTPError.self) {
        try InferenceTensor(name: "x", dataType: .bytes, shape: [1], content: Data(bytes))
      }
    }
  }

  @Test("Deep nesting and long JSON are refused")
  func deep() throws {
    let lists = String(repeating: "[", count: 40) + "1" + String(repeating: "]", count: 40)
    #expect(throws: HTTPError.self) { try message(input("FP32", "[1]", #""data": \#(lists)"#)) }
    let spaces = Data(repeating: 32, count: 9 << 20)
    let error = #expect(throws: HTTPError.self) { try InferenceMessage(spaces, headerLength: nil) }
    #expect(error?.status == 413)
  }

  @Test("An answer has outputs as JSON and as binary data after the JSON")
  func answer() throws {
    let numbers = try InferenceTensor(
      name: "a", dataType: .float32, shape: [1, 2], content: Data([0, 0, 0xC0, 0x3F, 0, 0, 0, 0]))
    let halves = try InferenceTensor(
      name: "h", dataType: .float16, shape: [1], content: Data([0x66, 0x2E]))
    let texts = try InferenceTensor.bytes("t", shape: [1], [Data("é".utf8)])
    let file = try InferenceTensor.bytes("f", shape: [1], [Data([0x89, 0x50, 0x4E])])
    let answer = try InferenceAnswer(
      model: "m", version: "1", id: nil,
      [(numbers, false), (halves, false), (texts, false), (file, false), (numbers, true)])
    let json = try JSONSerialization.jsonObject(with: answer.json) as? [String: Any]
    let outputs = try #require(json?["outputs"] as? [[String: Any]])
    #expect(outputs[0]["data"] as? [Double] == [1.5, 0])
    #expect((outputs[1]["data"] as? [Double]).map { Float16($0[0]).bitPattern } == 0x2E66)
    #expect(outputs[2]["data"] as? [String] == ["é"])
    #expect(outputs[3]["data"] as? [String] == ["iVBO"])
    #expect((outputs[3]["parameters"] as? [String: String])?["content_type"] == "base64")
    #expect((outputs[4]["parameters"] as? [String: Int])?["binary_data_size"] == 8)
    #expect(answer.binary == numbers.content)
    let header = answer.response.headers.first { $0.name == "Inference-Header-Content-Length" }
    #expect(header?.value == "\(answer.json.count)")
  }

  @Test("A number that is not finite is only in binary data")
  func notFinite() throws {
    let tensor = try InferenceTensor(
      name: "a", dataType: .float32, shape: [1], content: Data([0, 0, 0xC0, 0x7F]))
    let error = #expect(throws: HTTPError.self) {
      try InferenceAnswer(model: "m", version: "1", id: nil, [(tensor, false)])
    }
    #expect(error?.status == 422)
    #expect(
      try InferenceAnswer(model: "m", version: "1", id: nil, [(tensor, true)]).binary
        == tensor.content)
  }

  @Test("Errors have the form of the protocol below /v2 only")
  func errors() throws {
    let error = HTTPError(404, "no_model", "There is none.")
    for (target, isPlain) in [("/v2", true), ("/v2/models", true), ("/v2?x", true), ("/v1", false)]
    {
      guard case .data(let data) = error.response(target: target).body else { return }
      let found = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      #expect((found?["error"] as? String == "There is none.") == isPlain, "\(target)")
    }
  }
}
