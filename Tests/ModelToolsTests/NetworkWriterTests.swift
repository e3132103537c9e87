import ModelFormat
import Testing

@testable import ModelTools

struct NetworkWriterTests {
  private func array(_ shape: [Int], _ values: [Float]) throws -> NumericArray {
    let bytes: ByteValues = values.withUnsafeBytes { ByteValues(copying: $0) }
    return try #require(NumericArray(.float32, shape: shape, bytes: bytes))
  }

  @Test("A kernel of height × width × in × out becomes out × in × height × width")
  func kernelOrder() throws {
    // Value = 1000 row + 100 column + 10 input + output.
    var values: [Float] = []
    for row in 0..<2 {
      for column in 0..<3 {
        for input in 0..<2 {
          for output in 0..<4 {
            values.append(Float(1000 * row + 100 * column + 10 * input + output))
          }
        }
      }
    }
    var network = NetworkWriter()
    let last = try network.addConvolution(
      "c", kernel: array([2, 3, 2, 4], values), bias: array([4], [1, 2, 3, 4]), stride: 2,
      padding: 1, rectifier: "r", reading: "image")
    #expect(last == "r")
    #expect(network.layers.map(\.name) == ["c", "r"])
    #expect(network.layers[1].input == ["c"])
    guard case .convolution(let convolution)? = network.layers[0].layer else {
      Issue.record("the first layer is no convolution")
      return
    }
    #expect(convolution.kernelSize == [2, 3])
    #expect(convolution.kernelChannels == 2)
    #expect(convolution.outputChannels == 4)
    #expect(convolution.stride == [2, 2])
    let weights: [Float] = convolution.weights?.floatValue.array() ?? []
    #expect(Array(weights[0..<6]) == [0, 100, 200, 1000, 1100, 1200])
    #expect(Array(weights[6..<8]) == [10, 110])
    #expect(weights[12] == 1)
    #expect(convolution.bias?.floatValue.array() == [1, 2, 3, 4])
  }

  @Test("A bias that does not fit the kernel is refused with both shapes")
  func wrongBias() throws {
    var network = NetworkWriter()
    let kernel = try array([1, 1, 1, 2], [1, 2])
    let bias = try array([3], [1, 2, 3])
    #expect {
      try network.addConvolution("c", kernel: kernel, bias: bias, rectifier: "r", reading: "x")
    } throws: { error in
      "\(error)".contains("'c'") && "\(error)".contains("[1, 1, 1, 2]")
        && "\(error)".contains("[3]")
    }
  }

  @Test("SqueezeNet needs a thousand labels and its own weights")
  func squeezeNetWeights() throws {
    let empty = try PickleFile(ByteValues([0x80, 3, UInt8(ascii: "}"), 0x2E]), name: "w.pkl")
    #expect {
      try SqueezeNet.model(weights: empty, labels: ["cat"])
    } throws: { "\($0)" == "The list of labels holds 1 names, expected 1000." }
    let labels: [String] = (0..<1000).map { "class \($0)" }
    #expect {
      try SqueezeNet.model(weights: empty, labels: labels)
    } throws: { "\($0)" == "Weights 'w.pkl': there is no 'conv1'; expected an array." }
  }
}
