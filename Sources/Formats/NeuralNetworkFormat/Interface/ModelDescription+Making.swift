import Graph
import ModelFormat

extension Spec.ModelDescription {
  /// Describes a model's inputs and outputs in the form that a Core ML file uses.
  public init(_ model: GraphModel) {
    self.init()
    let stateInputs = Set(model.graph.states.map(\.input))
    let stateOutputs = Set(model.graph.states.compactMap(\.output))
    for (position, feature) in model.inputs.enumerated() {
      if stateInputs.contains(position) {
        let kind = Spec.StateFeatureType.making { $0.type = .arrayType(feature.array) }
        state.append(.making { $0.describe(feature, as: .stateType(kind)) })
      } else {
        input.append(Spec.FeatureDescription(feature, isInput: true))
      }
    }
    for (position, feature) in model.outputs.enumerated() where !stateOutputs.contains(position) {
      guard let classes = model.classes, classes.output == position else {
        output.append(Spec.FeatureDescription(feature, isInput: false))
        continue
      }
      predictedFeatureName = classes.labelName
      predictedProbabilitiesName = feature.name
      output.append(
        .making {
          $0.name = classes.labelName
          $0.shortDescription = classes.labelSummary
          $0.type = .making {
            $0.type =
              classes.areNumbers
              ? .int64Type(Spec.Int64FeatureType()) : .stringType(Spec.StringFeatureType())
          }
        })
      output.append(
        .making {
          $0.describe(
            feature,
            as: .dictionaryType(
              .making {
                $0.keyType =
                  classes.areNumbers
                  ? .int64KeyType(Spec.Int64FeatureType())
                  : .stringKeyType(Spec.StringFeatureType())
              }))
        })
    }
    metadata = .making {
      $0.shortDescription = model.metadata.summary
      $0.author = model.metadata.author
      $0.license = model.metadata.license
      $0.versionString = model.metadata.version
      $0.userDefined = model.metadata.other
    }
  }
}

extension Spec.FeatureDescription {
  fileprivate init(_ feature: GraphModel.Feature, isInput: Bool) {
    self.init()
    if let picture = feature.picture {
      describe(feature, as: .imageType(picture))
    } else {
      describe(feature, as: .multiArrayType(isInput ? feature.array : feature.outputArray))
    }
    type?.isOptional = feature.isOptional
  }

  fileprivate mutating func describe(
    _ feature: GraphModel.Feature, as kind: Spec.FeatureType.OneOfType
  ) {
    name = feature.name
    shortDescription = feature.summary
    type = .making { $0.type = kind }
  }
}

extension Extent {
  /// The bounds as a message. An upper bound of −1 means that there is no upper bound.
  fileprivate var range: Spec.SizeRange {
    .making {
      $0.lowerBound = UInt64(max(0, lower))
      $0.upperBound = upper.map(Int64.init) ?? -1
    }
  }
}

extension GraphModel.Feature {
  /// The extents to use if a caller states none. These are the default extents, if the feature has any. For images
  /// without default extents, each extent is the allowed extent nearest to 512 pixels. For arrays without default
  /// extents, each extent is the smallest allowed one.
  package var usualExtents: [Int]? {
    if let usual { return usual }
    return extents?.enumerated().map { axis, extent in
      extent.fixed
        ?? (image == nil
          ? max(1, extent.lower) : min(max(512, extent.lower), extent.upper ?? Int.max))
    }
  }

  fileprivate var picture: Spec.ImageFeatureType? {
    guard let image, let extents, extents.count >= 2, let usual = usualExtents else { return nil }
    let count: Int = extents.count
    return .making { message in
      message.height = Int64(usual[count - 2])
      message.width = Int64(usual[count - 1])
      switch image.order {
      case .gray: message.colorSpace = element == .float16 ? .grayscaleFloat16 : .grayscale
      case .rgb: message.colorSpace = .rgb
      case .bgr: message.colorSpace = .bgr
      }
      let (height, width) = (extents[count - 2], extents[count - 1])
      if !choices.isEmpty {
        message.sizeFlexibility = .enumeratedSizes(
          .making {
            $0.sizes = choices.map { choice in
              .making {
                $0.height = UInt64(choice[count - 2])
                $0.width = UInt64(choice[count - 1])
              }
            }
          })
      } else if height.fixed == nil || width.fixed == nil {
        message.sizeFlexibility = .imageSizeRange(
          .making {
            $0.heightRange = height.range
            $0.widthRange = width.range
          })
      }
    }
  }

  fileprivate var array: Spec.ArrayFeatureType {
    .making { message in
      message.dataType = dataType
      guard let extents, let usual = usualExtents else { return }
      message.shape = usual.map(Int64.init)
      if !choices.isEmpty {
        message.shapeFlexibility = .enumeratedShapes(
          .making {
            $0.shapes = choices.map { choice in .making { $0.shape = choice.map(Int64.init) } }
          })
      } else if extents.contains(where: { $0.fixed == nil }) {
        message.shapeFlexibility = .shapeRange(.making { $0.sizeRanges = extents.map(\.range) })
      }
    }
  }

  /// The description of an output array. It declares extents only if all extents of the output are known.
  fileprivate var outputArray: Spec.ArrayFeatureType {
    let fixed: [Int]? = extents.flatMap { extents in
      let fixed: [Int] = extents.compactMap(\.fixed)
      return fixed.count == extents.count ? fixed : nil
    }
    return .making {
      $0.dataType = dataType
      $0.shape = fixed?.map(Int64.init) ?? []
    }
  }

  private var dataType: Spec.ArrayFeatureType.ArrayDataType {
    switch element {
    case .float64: .double
    case .float16: .float16
    case .int8: .int8
    case .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: .int32
    default: .float32
    }
  }
}
