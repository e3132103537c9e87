import CoreGraphics
import Foundation
import Testing

@testable import TensorFlowLite

/// Tests the interpreter's interface with a model that adds two rows of numbers.
@Suite("Interpreter")
struct InterpreterTests {
  private func model(_ name: String) throws -> Data {
    try #require(OperatorAnswerTests.recorded.first { $0.name == name }).model
  }

  private func expect<Result>(
    _ error: InterpreterError, _ body: () throws -> Result,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: error, sourceLocation: location) { _ = try body() }
  }

  @Test("Tensors have a name, a type, a shape, values and quantisation parameters")
  func tensors() throws {
    let interpreter = try Interpreter(modelData: try model("QUANTIZE and DEQUANTIZE"))
    #expect(interpreter.inputTensorCount == 1)
    #expect(interpreter.outputTensorCount == 2)
    try interpreter.allocateTensors()
    let input = try interpreter.input(at: 0)
    #expect(input.name == "t0")
    #expect(input.dataType == .float32)
    #expect(input.shape == [2, 9])
    #expect(input.data == Data(count: 72))
    #expect(input.quantizationParameters == nil)
    try interpreter.invoke()
    let code = try interpreter.output(at: 0)
    #expect(code.dataType == .int8)
    #expect(code.quantizationParameters == QuantizationParameters(scale: 0.03, zeroPoint: 7))
    #expect(code.data == Data(repeating: 7, count: 18))
  }

  @Test("Omitted steps and inconsistent sizes are errors")
  func order() throws {
    let interpreter = try Interpreter(modelData: try model("ADD of int32"))
    expect(.allocateTensorsRequired) { try interpreter.input(at: 0) }
    expect(.allocateTensorsRequired) { try interpreter.invoke() }
    try interpreter.allocateTensors()
    expect(.invalidTensorIndex(index: 1, maxIndex: 0)) { try interpreter.input(at: 1) }
    expect(.invalidTensorIndex(index: -1, maxIndex: 0)) { try interpreter.output(at: -1) }
    expect(.invalidTensorDataCount(provided: 5, required: 56)) {
      try interpreter.copy(Data(count: 5), toInputAt: 0)
    }
    expect(.failedToResizeInputTensor(index: 0)) {
      try interpreter.resizeInput(at: 0, to: [2, 2])
    }
    expect(.failedToLoadModel) { try Interpreter(modelPath: "/nowhere/model.tflite") }
  }

  @Test("An int64 beyond int32 is refused with its value and the range")
  func largeIntegers() throws {
    let interpreter = try Interpreter(modelData: try model("ADD of int64"))
    try interpreter.allocateTensors()
    try interpreter.copy([2_147_483_647, 5].withUnsafeBytes { Data($0) }, toInputAt: 0)
    try interpreter.invoke()
    // The sum 2³¹ is clamped to the range of int32.
    #expect(
      try interpreter.output(at: 0).data == [2_147_483_647, 4].withUnsafeBytes { Data($0) })
    try interpreter.copy([5, 4_294_967_298].withUnsafeBytes { Data($0) }, toInputAt: 0)
    expect(
      .tensorFlowLiteError(
        "element 1 of the data is 4294967298, expected -2147483648 to 2147483647: int64 tensors are "
          + "computed in int32.")
    ) { try interpreter.invoke() }
  }

  @Test("A data-dependent output is available after a run")
  func dynamicOutputs() throws {
    let interpreter = try Interpreter(modelData: try model("WHERE"))
    try interpreter.allocateTensors()
    expect(.invokeInterpreterRequired) { try interpreter.output(at: 0) }
    try interpreter.copy(Data([1, 0, 0, 0, 0, 0, 1, 0]), toInputAt: 0)
    try interpreter.invoke()
    #expect(try interpreter.output(at: 0).shape == [2, 2])
    #expect(try interpreter.output(at: 0).numbers == [0, 0, 1, 2])
  }

  @Test("A new input shape changes the dependent shapes")
  func resizing() throws {
    let interpreter = try Interpreter(modelData: try model("EXP"))
    try interpreter.resizeInput(at: 0, to: Tensor.Shape(1, 5))
    try interpreter.allocateTensors()
    #expect(try interpreter.input(at: 0).shape.dimensions == [1, 5])
    try interpreter.invoke()
    #expect(try interpreter.output(at: 0).numbers == [1, 1, 1, 1, 1])
  }

  @Test("A damaged file gives an error with a message")
  func damaged() throws {
    var data = try model("EXP")
    data.replaceSubrange(0..<4, with: [0xF0, 0xFF, 0xFF, 0x7F])
    #expect {
      try Interpreter(modelData: data)
    } throws: { error in
      error.localizedDescription
        == "The file is damaged or truncated: the offset 2147483632 at 0 leads out of the file."
    }
  }

  @Test("An image can be created from bytes in an NSData")
  func picture() throws {
    var bytes: [UInt8] = [255, 0, 0, 0, 255, 0]
    let provider = try #require(
      CGDataProvider(data: NSData(bytes: &bytes, length: bytes.count)))
    let image = try #require(
      CGImage(
        width: 2, height: 1, bitsPerComponent: 8, bitsPerPixel: 24, bytesPerRow: 6,
        space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.none.rawValue), provider: provider,
        decode: nil, shouldInterpolate: true, intent: .defaultIntent))
    #expect(try image.picture.pixels == bytes)
  }
}
