extension MILText {
  /// A description of the model with the inputs and outputs that the program itself states.
  var modelDescription: Spec.ModelDescription {
    let functions: [Spec.FunctionDescription] = functionNames.compactMap { name in
      program.functions[name].map { Spec.FunctionDescription($0, name: name) }
    }
    return .making { description in
      if functions.count == 1, functions[0].name == "main" {
        description.input = functions[0].input
        description.output = functions[0].output
        description.state = functions[0].state
      } else {
        description.functions = functions
        let names: [String] = functions.map(\.name)
        description.defaultFunctionName = names.contains("main") ? "main" : names.first ?? ""
      }
    }
  }

  /// The lowest specification version that supports the opsets of all functions.
  var specificationVersion: Int32 {
    let versions: [Int32] = program.functions.values.compactMap {
      MILTextNames.specificationVersion(of: $0.opset)
    }
    return versions.max() ?? 6
  }

  /// Makes the text of a model's program in the form of Apple's compiler. The inputs are sorted by name. The text
  /// states the lengths that the model's description allows.
  init(compiling program: Spec.MILSpec.Program, of model: Spec.Model) {
    var complete: Spec.MILSpec.Program = program
    let description: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    for (name, function) in program.functions {
      var function: Spec.MILSpec.Function = function
      function.inputs.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      let inputs: [Spec.FeatureDescription] =
        description.functions.isEmpty
        ? description.input : description.functions.first { $0.name == name }?.input ?? []
      if function.attributes[FlexibleShapes.attribute] == nil {
        function.attributes[FlexibleShapes.attribute] = FlexibleShapes(inputs).value
      }
      complete.functions[name] = function
    }
    self.init(complete, version: .init(specificationVersion: model.specificationVersion))
  }
}

extension Spec.FunctionDescription {
  fileprivate init(_ function: Spec.MILSpec.Function, name: String) {
    self.init()
    self.name = name
    let flexible = function.attributes[FlexibleShapes.attribute].flatMap { FlexibleShapes($0) }
    for value in function.inputs {
      var feature = Spec.FeatureDescription(value.name, value.type)
      if case .multiArrayType(var array)? = feature.type?.type {
        if let shape = flexible?.defaults[value.name] { array.shape = shape }
        if let ranges = flexible?.ranges[value.name] {
          array.shapeFlexibility = .shapeRange(
            .making {
              $0.sizeRanges = ranges.map { bounds in
                .making {
                  $0.lowerBound = UInt64(clamping: bounds.first ?? 0)
                  $0.upperBound = bounds.last ?? 0
                }
              }
            })
        }
        feature.type?.type = .multiArrayType(array)
      }
      if case .stateType? = feature.type?.type {
        state.append(feature)
      } else {
        input.append(feature)
      }
    }
    let block: Spec.MILSpec.Block = function.block ?? Spec.MILSpec.Block()
    let values: [Spec.MILSpec.NamedValueType] =
      function.inputs + block.operations.flatMap(\.outputs)
    let types = Dictionary(values.map { ($0.name, $0.type) }) { _, last in last }
    output = block.outputs.map { Spec.FeatureDescription($0, types[$0] ?? nil) }
  }
}

extension Spec.FeatureDescription {
  /// Describes a tensor as an array, and a state as a state. A value of any other type gets no feature type.
  fileprivate init(_ name: String, _ type: Spec.MILSpec.ValueType?) {
    self.init()
    self.name = name
    var feature = Spec.FeatureType()
    switch type?.type {
    case .tensorType(let tensor)?:
      feature.type = .multiArrayType(Spec.ArrayFeatureType(tensor))
    case .stateType(let state)?:
      guard case .tensorType(let tensor)? = state.wrappedType?.type else { break }
      feature.type = .stateType(.making { $0.type = .arrayType(Spec.ArrayFeatureType(tensor)) })
    default: break
    }
    self.type = feature
  }
}

extension Spec.ArrayFeatureType {
  /// Describes a tensor as an array with the tensor's element type and lengths. If a length is unknown, the array has
  /// no shape.
  fileprivate init(_ tensor: Spec.MILSpec.TensorType) {
    self.init()
    dataType =
      switch tensor.dataType {
      case .float16: .float16
      case .float32: .float32
      case .float64: .double
      case .int8: .int8
      case .int32: .int32
      default: .invalidArrayDataType
      }
    let lengths: [Int64] = tensor.dimensions.compactMap { $0.length.map { Int64(clamping: $0) } }
    if lengths.count == tensor.dimensions.count { shape = lengths }
  }
}
