// Package farkle scores rolls as Quintet does, so that the contenders return the same.
package farkle

import (
	"slices"

	farklev1 "quintet.test/bench/gen/quintet/farkle/v1"
)

type scored struct {
	combination farklev1.Combination
	dice        []int32
	points      int32
}

type split struct {
	points       int32
	combinations []scored
	deadDice     []int32
}

var (
	faces        = []int32{1, 2, 3, 4, 5, 6}
	combinations = allCombinations()
	// The best split of each of the 923 rolls and of the empty one. Written before serving starts, and read-only after that.
	splits = allSplits()
)

func allCombinations() []scored {
	all := []scored{
		{farklev1.Combination_COMBINATION_SINGLE_ONE, []int32{1}, 100},
		{farklev1.Combination_COMBINATION_SINGLE_FIVE, []int32{5}, 50},
		{farklev1.Combination_COMBINATION_STRAIGHT, faces, 1500},
	}
	for _, face := range faces {
		three := face * 100
		if face == 1 {
			three = 1000
		}
		all = append(all,
			scored{farklev1.Combination_COMBINATION_THREE_OF_A_KIND, slices.Repeat([]int32{face}, 3), three},
			scored{farklev1.Combination_COMBINATION_FOUR_OF_A_KIND, slices.Repeat([]int32{face}, 4), 1000},
			scored{farklev1.Combination_COMBINATION_FIVE_OF_A_KIND, slices.Repeat([]int32{face}, 5), 2000},
			scored{farklev1.Combination_COMBINATION_SIX_OF_A_KIND, slices.Repeat([]int32{face}, 6), 3000},
		)
		for second := face; second <= 6; second++ {
			triplets := []int32{face, face, face, second, second, second}
			all = append(all, scored{farklev1.Combination_COMBINATION_TWO_TRIPLETS, triplets, 2500})
			for third := second; third <= 6; third++ {
				pairs := []int32{face, face, second, second, third, third}
				all = append(all, scored{farklev1.Combination_COMBINATION_THREE_PAIRS, pairs, 1500})
			}
		}
	}
	return all
}

// nameOf identifies a roll regardless of its order: how often each face occurs, as the digits of a number in base 8.
func nameOf(dice []int32) int32 {
	var name int32
	for _, face := range dice {
		name += 1 << (3 * face)
	}
	return name
}

// without removes used from dice; both are ascending. It returns false if some of used are not in dice.
func without(dice, used []int32) ([]int32, bool) {
	var left []int32
	next := 0
	for _, face := range dice {
		if next < len(used) && face == used[next] {
			next++
		} else {
			left = append(left, face)
		}
	}
	return left, next == len(used)
}

func allSplits() map[int32]split {
	all := map[int32]split{}
	var bestOf func(dice []int32) split
	bestOf = func(dice []int32) split {
		if known, ok := all[nameOf(dice)]; ok {
			return known
		}
		best := split{deadDice: dice}
		for _, one := range combinations {
			left, ok := without(dice, one.dice)
			if !ok {
				continue
			}
			rest := bestOf(left)
			points := one.points + rest.points
			if points > best.points || (points == best.points && len(rest.combinations)+1 < len(best.combinations)) {
				best = split{points, append([]scored{one}, rest.combinations...), rest.deadDice}
			}
		}
		slices.SortStableFunc(best.combinations, func(a, b scored) int {
			if a.points != b.points {
				return int(b.points - a.points)
			}
			return int(a.dice[0] - b.dice[0])
		})
		all[nameOf(dice)] = best
		return best
	}
	var fill func(dice []int32, least int32)
	fill = func(dice []int32, least int32) {
		bestOf(dice)
		for face := least; face <= 6 && len(dice) < 6; face++ {
			fill(append(slices.Clone(dice), face), face)
		}
	}
	fill(nil, 1)
	return all
}

// Score scores a roll. It returns false for anything that is not a roll: 1 to 6 dice with faces from 1 to 6.
func Score(dice []int32) (*farklev1.ScoreResponse, bool) {
	if len(dice) == 0 || len(dice) > 6 {
		return nil, false
	}
	for _, face := range dice {
		if face < 1 || face > 6 {
			return nil, false
		}
	}
	best := splits[nameOf(dice)]
	breakdown := make([]*farklev1.ScoredCombination, len(best.combinations))
	for index, one := range best.combinations {
		breakdown[index] = &farklev1.ScoredCombination{Combination: one.combination, Dice: one.dice, Points: one.points}
	}
	return &farklev1.ScoreResponse{
		Score:     best.points,
		Farkle:    best.points == 0,
		HotDice:   len(best.deadDice) == 0,
		Breakdown: breakdown,
		DeadDice:  best.deadDice,
	}, true
}
