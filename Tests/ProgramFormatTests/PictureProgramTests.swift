import Engine
import Testing

@Suite struct PictureProgramTests {
  @Test func `A convolution along one axis pads unevenly`() throws {
    var program = ShapeProgram()
    program.input("x", [1, 1, nil])
    program.input("w", [1, 1, 2])
    program.add(
      "conv", ["x": .name("x"), "weight": .name("w"), "pad_type": .string("same_lower")],
      ("y", [1, 1, nil], .float32))
    let made = try program.run(
      "y", of: .counting([1, 1, 4]), ReferenceTensor([1, 1, 2], [10, 1]))
    #expect(made == [ReferenceTensor([1, 1, 4], [0, 1, 12, 23])])
  }

  @Test func `A transposed convolution has the stated size`() throws {
    var program = ShapeProgram()
    program.input("x", [1, 1, 2])
    program.input("w", [1, 1, 2])
    program.add(
      "conv_transpose",
      [
        "x": .name("x"), "weight": .name("w"), "strides": .ints([3]),
        "output_shape": .ints([1, 1, 6]),
      ], ("y", [1, 1, 6], .float32))
    let made = try program.run(
      "y", of: ReferenceTensor([1, 1, 2], [1, 2]), ReferenceTensor([1, 1, 2], [10, 1]))
    #expect(made == [ReferenceTensor([1, 1, 6], [10, 1, 0, 20, 2, 0])])
  }

  @Test func `A pooling's last window may be partial`() throws {
    var program = ShapeProgram()
    program.input("x", [1, 1, 4])
    program.add(
      "avg_pool",
      [
        "x": .name("x"), "kernel_sizes": .ints([3]), "strides": .ints([2]),
        "pad_type": .string("custom"), "pad": .ints([0, 0]), "ceil_mode": .bool(true),
      ], ("y", [1, 1, 2], .float32))
    let made = try program.run("y", of: ReferenceTensor([1, 1, 4], [3, 6, 9, 12]))
    #expect(made == [ReferenceTensor([1, 1, 2], [6, 10.5])])
  }

  @Test(arguments: [("DEFAULT", [0, 0.4, 0.8, 1, 1]), ("UNALIGN_CORNERS", [0, 0.1, 0.5, 0.9, 1])])
  func `An image is resized to a computed size`(mode: String, answer: [Double]) throws {
    var program = ShapeProgram()
    program.input("x", [1, 1, 2])
    program.input("s", [3], .int32)
    program.add(
      "resize",
      [
        "x": .name("x"), "shape": .name("s"), "resized_dims": .int(2),
        "sampling_mode": .string(mode),
      ], ("y", [1, nil, nil], .float32))
    let made = try program.run(
      "y", of: .counting([1, 1, 2]), ReferenceTensor([3], integerValues: [7, 0, 5], .int32))
    let difference = zip(made[0].values, answer).map { abs($0 - $1) }.max() ?? 1
    #expect(made.map(\.shape) == [[1, 1, 5]] && difference < 1e-6)
  }

  @Test func `Boxes outside an image contain the padding since iOS 16`() throws {
    for (opset, corner) in [(Opset.iOS15, 3.0), (.iOS16, 0.0)] {
      var program = ShapeProgram(opset)
      program.input("x", [1, 1, 2, 2])
      program.input("r", [1, 1, 4, 1, 1])
      program.add(
        "crop_resize",
        [
          "x": .name("x"), "roi": .name("r"), "target_height": .int(1), "target_width": .int(2),
          "sampling_mode": .string("ALIGN_CORNERS"),
        ], ("y", [1, 1, 1, 1, 2], .float32))
      let made = try program.run(
        "y", of: .counting([1, 1, 2, 2]), ReferenceTensor([1, 1, 4, 1, 1], [1, 0, 1, 2]))
      #expect(made == [ReferenceTensor([1, 1, 1, 1, 2], [2, corner])])
    }
  }

  @Test func `An affine map rotates an image`() throws {
    var program = ShapeProgram()
    program.input("x", [1, 1, 2, 2])
    program.input("m", [1, 6])
    program.add(
      "affine",
      [
        "x": .name("x"), "transform_matrix": .name("m"), "output_height": .int(2),
        "output_width": .int(2), "sampling_mode": .string("bilinear"),
        "padding_mode": .string("constant"), "padding_value": .float(0),
        "coordinates_mode": .string("normalized_minus_one_to_one"), "align_corners": .bool(true),
      ], ("y", [1, 1, 2, 2], .float32))
    // The affine map is x' = y and y' = −x.
    let made = try program.run(
      "y", of: .counting([1, 1, 2, 2]), ReferenceTensor([1, 6], [0, 1, 0, -1, 0, 0]))
    #expect(made == [ReferenceTensor([1, 1, 2, 2], [2, 0, 3, 1])])
  }

  @Test func `Reflection padding mirrors channels like rows and columns`() throws {
    var program = ShapeProgram()
    program.input("x", [1, 3, 1])
    program.add(
      "pad", ["x": .name("x"), "pad": .ints([0, 0, 2, 1, 0, 0]), "mode": .string("reflect")],
      ("y", [1, 6, 1], .float32))
    let made = try program.run("y", of: .counting([1, 3, 1]))
    #expect(made == [ReferenceTensor([1, 6, 1], [2, 1, 0, 1, 2, 1])])
  }

  @Test func `Images survive a round trip through blocks`() throws {
    var program = ShapeProgram()
    program.input("x", [nil, 1, 2, 3])
    let square: [String: ShapeProgram.Argument] = ["block_shape": .ints([2, 3])]
    program.add(
      "space_to_batch",
      square.merging(["x": .name("x"), "paddings": .ints([1, 1, 0, 3])]) { $1 },
      ("s", [nil, 1, 2, 2], .float32))
    program.add(
      "batch_to_space", square.merging(["x": .name("s"), "crops": .ints([1, 1, 0, 3])]) { $1 },
      ("y", [nil, 1, 2, 3], .float32))
    let made = try program.run("s", "y", of: .counting([2, 1, 2, 3]))
    #expect(made[0].shape == [12, 1, 2, 2] && made[1] == .counting([2, 1, 2, 3]))
    #expect(made[0].values.prefix(4) == [0, 0, 3, 0])
  }

  @Test func `A contradiction of the definition is reported with a message`() {
    let cases: [(String, [String: ShapeProgram.Argument], String)] = [
      ("conv", ["weight": .name("w"), "pad_type": .string("full")], "pad_type is 'full'"),
      ("conv", ["weight": .name("w"), "strides": .ints([0])], "'strides' holds 0"),
      ("conv", ["weight": .name("w"), "groups": .int(3)], "in 3 groups"),
      ("conv", [:], "the input 'weight' is missing"),
      ("max_pool", ["kernel_sizes": .ints([1, 2])], "has 2 numbers, expected 1"),
      ("pad", ["pad": .ints([-1, 0])], "two amounts of 0 or more"),
      ("resize_bilinear", ["sampling_mode": .string("cubic")], "sampling_mode is 'CUBIC'"),
      ("pixel_shuffle", ["upscale_factor": .int(2)], "has 3 dimensions, expected 4"),
    ]
    for (type, inputs, sentence) in cases {
      var program = ShapeProgram()
      program.input("x", [1, 1, 4])
      program.input("w", [1, 1, 2])
      program.add(type, inputs.merging(["x": .name("x")]) { $1 }, ("y", [1, 1, 3], .float32))
      let error = #expect(throws: EngineError.self) {
        try program.run("y", of: .counting([1, 1, 4]), .counting([1, 1, 2]))
      }
      #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
    }
  }
}
