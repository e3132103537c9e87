import Engine
import ModelFormat
import ONNXFormat
import Testing

/// Tests `Resize` nodes whose extents, sizes or factors are known only at run time.
@Suite("An ONNX resize on dynamic axes")
struct DynamicResizeTests {
  private func resize(_ attributes: [ONNX.AttributeProto]) -> ModelMaking {
    var making = ModelMaking()
    making.input("x", [1, 2, "h", "w"])
    making.constant(ModelMaking.floats("region", [4], [0.25, 0.5, 0.75, 1.5]))
    making.constant(ModelMaking.ints("sizes", [2], [6, 5]))
    let axes = ModelMaking.ints("axes", [2, 3])
    let inputs: [String] = ["x", "region", "", "sizes"]
    making.model.graph?.node = [ModelMaking.node("Resize", inputs, ["y"], [axes] + attributes)]
    making.output("y")
    return making
  }

  /// Builds the same model as `resize`, but the node resizes to the size of a second input.
  private func resizeLike(_ attributes: [ONNX.AttributeProto]) -> ModelMaking {
    var making: ModelMaking = resize(attributes)
    making.input("like", ["a", "b"])
    making.model.graph?.initializer.removeLast()
    making.model.graph?.node.insert(ModelMaking.node("Shape", ["like"], ["sizes"]), at: 0)
    return making
  }

  private static let sizes: [[Int]] = [[10, 7], [5, 12]]

  private func picture(_ size: [Int]) -> ReferenceTensor {
    DynamicAxes.tensor(Shape([1, 2] + size))
  }

  @Test(
    "A resize keeps the aspect ratio, within the given sizes or covering them",
    arguments: ["not_larger", "not_smaller"], ["nearest", "linear", "cubic"])
  func aspectRatio(policy: String, mode: String) throws {
    let attributes: [ONNX.AttributeProto] = [
      ModelMaking.string("keep_aspect_ratio_policy", policy),
      ModelMaking.string("mode", mode),
    ]
    for size in Self.sizes {
      let x: ReferenceTensor = picture(size)
      let made = try DynamicAxes.expectSame(resize(attributes), [x], tolerance: 1e-4)
      let like = ReferenceTensor([6, 5])
      let same = try DynamicAxes.expectSame(resizeLike(attributes), [x, like], tolerance: 1e-4)
      #expect(made[0].shape == same[0].shape)
      if size == [10, 7] {
        #expect(made[0].shape == (policy == "not_larger" ? [1, 2, 6, 4] : [1, 2, 7, 5]))
      }
    }
  }

  @Test("A resize rounds an extent of 7.5 up, although 3 / 22 · 55 is below 7.5 in floating point")
  func halves() throws {
    var making = ModelMaking()
    making.input("x", ["h", "w"])
    making.constant(ModelMaking.ints("sizes", [2], [3, 100]))
    making.add(
      "Resize", ["x", "", "", "sizes"], ["y"], ModelMaking.string("mode", "linear"),
      ModelMaking.string("keep_aspect_ratio_policy", "not_larger"))
    making.output("y")
    let x: ReferenceTensor = DynamicAxes.tensor([22, 55])
    let made = try DynamicAxes.expectSame(making, [x], tolerance: 1e-4)
    #expect(made[0].shape == [3, 8])
  }

  @Test(
    "Antialiased shrinking to another input's size averages more input elements for each output",
    arguments: ["linear", "cubic"], [0, 1])
  func antialiasing(mode: String, excludesOutside: Int64) throws {
    let attributes: [ONNX.AttributeProto] = [
      ModelMaking.string("mode", mode), ModelMaking.int("antialias", 1),
      ModelMaking.int("exclude_outside", excludesOutside),
    ]
    for size in Self.sizes {
      let like = ReferenceTensor([3, 8])
      let x: ReferenceTensor = picture(size)
      _ = try DynamicAxes.expectSame(resizeLike(attributes), [x, like], tolerance: 1e-4)
      _ = try DynamicAxes.expectSame(resize(attributes), [x], tolerance: 1e-4)
    }
  }

  @Test(
    "A resize crops a region and fills the part outside the input",
    arguments: ["nearest", "linear", "cubic"])
  func cropping(mode: String) throws {
    let attributes: [ONNX.AttributeProto] = [
      ModelMaking.string("mode", mode),
      ModelMaking.string("coordinate_transformation_mode", "tf_crop_and_resize"),
      ModelMaking.float("extrapolation_value", 77),
    ]
    for size in Self.sizes {
      let x: ReferenceTensor = picture(size)
      let made = try DynamicAxes.expectSame(resize(attributes), [x], tolerance: 1e-3)
      #expect(made[0].values.contains(77) && made[0].values.contains { $0 < 70 })
      let single = ReferenceTensor([1, 4])
      _ = try DynamicAxes.expectSame(resizeLike(attributes), [x, single], tolerance: 1e-3)
    }
  }

  @Test("A resize may compute its factors from its input's size", arguments: ["nearest", "linear"])
  func computedFactors(mode: String) throws {
    for opset: Int64 in [10, 13] {
      var making = ModelMaking(opset: opset)
      making.input("x", [1, 2, "h", "w"])
      making.constant(ModelMaking.floats("wanted", [4], [1, 2, 6, 8]))
      making.add("Shape", ["x"], ["shape"])
      making.add("Cast", ["shape"], ["real"], ModelMaking.int("to", 1))
      making.add("Div", ["wanted", "real"], ["scales"])
      let inputs: [String] = opset == 10 ? ["x", "scales"] : ["x", "", "scales"]
      making.add("Resize", inputs, ["y"], ModelMaking.string("mode", mode))
      making.output("y")
      for size in [[4, 4], [8, 16]] {
        let made = try DynamicAxes.expectSame(making, [picture(size)], tolerance: 1e-4)
        #expect(made[0].shape == [1, 2, 6, 8])
      }
    }
  }
}
